// What looks like a leak and is none. It runs beside every planted leak.
'use strict';
const {EventEmitter} = require('events');
const {text} = require('./made.js');

class BoundedEntry {
  constructor(i) { this.number = i; this.value = text(100); }
}
class TransientRequest {
  constructor(i) { this.number = i; this.body = text(200); }
}
class ChurnedRow {
  constructor(i) { this.number = i; this.cells = text(60); }
}
class WarmTemplate {
  constructor(i) { this.number = i; this.source = text(90); }
}
class BriefListener {
  constructor(i) { this.number = i; this.note = text(80); }
}
class WeakNote {
  constructor(owner) { this.owner = owner; this.note = text(70); }
}

const RECENT = 100, WINDOW = 50, TABLE = 150;
const recentEntries = new Map(), templates = new Map(), weakNotes = new WeakMap(), bus = new EventEmitter();
let inFlight = [], table = [], templateLimit = 0;

/** `perRound`: how often `handle` will run in a round. */
exports.open = function open(perRound) { templateLimit = perRound + (perRound >> 2); };
exports.handle = function neighbours(i) {
  // The entry that was not used for longest goes.
  recentEntries.set(i, new BoundedEntry(i));
  if (recentEntries.size > RECENT) recentEntries.delete(recentEntries.keys().next().value);
  const request = new TransientRequest(i);
  inFlight.push(request);
  if (inFlight.length > WINDOW) inFlight.shift();
  // Filled once: full in the second round.
  if (templates.size < templateLimit) templates.set('template-' + i, new WarmTemplate(i));
  const brief = new BriefListener(i);
  function onBrief() { return brief.note; }
  bus.on('brief', onBrief);
  bus.removeListener('brief', onBrief);
  // The value refers to its key: an entry of a WeakMap goes all the same.
  weakNotes.set(request, new WeakNote(request));
  clearTimeout(setTimeout(() => brief.note, 1e8));
};
/** Everything is new, and as much as before. */
exports.endRound = function endRound(round) { table = Array.from({length: TABLE}, (_, i) => new ChurnedRow(round * TABLE + i)); };
exports.table = () => table.length;

/** How many there are after each round (rounds count from 0, the warm-up was before). `late`: still grew after the first. */
exports.healthy = (perRound) => ({
  BoundedEntry: {count: RECENT, why: 'a cache at its limit'},
  TransientRequest: {count: WINDOW, why: 'goes when the request is done'},
  ChurnedRow: {count: TABLE, why: 'replaced in every round'},
  WeakNote: {count: WINDOW, why: 'goes with its key'},
  BriefListener: {count: 0, why: 'listener and timer are removed at once'},
  WarmTemplate: {count: perRound + (perRound >> 2), late: true, why: 'a cache that is filled to its limit once'},
});
