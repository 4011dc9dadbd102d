// A page with tickets that leaks in known ways. Driven by ../make_page_leak.js: work(count) is one round.
'use strict';
let state = 1;
const random = (limit) => { state = (Math.imul(state, 1664525) + 1013904223) >>> 0; return (state >>> 8) % limit; };
const WORDS = 'alpha beta gamma delta prompt answer tool memory plan step agent user order parcel locker invoice stock'.split(' ');
const text = (length) => { const words = []; for (let have = 0; have < length; have += words[words.length - 1].length + 1) words.push(WORDS[random(WORDS.length)]); return words.join(' '); };
const mended = new Set();
let tickets = 0;

// Leak: elements of closed tickets, for a list of recent ones that nobody shows.
class TicketView {
  constructor(number) {
    this.number = number;
    this.element = document.createElement('section');
    this.element.append(document.createElement('p'), document.createElement('p'));
    this.element.firstChild.textContent = text(60);
  }
  show() { document.querySelector('main').append(this.element); }
  close() {
    this.element.remove();
    if (mended.has('detached')) this.element = null;
    else closedTickets.push(this);
  }
}
const closedTickets = [];

// Leak: listeners of the window.
class ResizeContext {
  constructor(number) { this.number = number; this.layout = text(400); }
}
function watchSize(number) {
  const context = new ResizeContext(number);
  function fitTicket() { return context.layout; }
  window.addEventListener('resize', fitTicket);
  if (mended.has('window-listener')) window.removeEventListener('resize', fitTicket);
}

// Leak: each draft wraps the function that saves the one before.
class DraftText {
  constructor(number) { this.number = number; this.body = text(350); }
}
const saveNothing = () => 0;
let saveDrafts = saveNothing;
function addDraft(number) {
  const draft = new DraftText(number);
  const before = mended.has('closure') ? saveNothing : saveDrafts;
  saveDrafts = function saveDraft() { return before() + draft.body.length; };
}

// Leak: an interval for each ticket.
class LiveStatus {
  constructor(number) { this.number = number; this.history = text(450); }
}
function follow(number) {
  const status = new LiveStatus(number);
  const timer = setInterval(function refreshStatus() { return status.history; }, 1e8);
  if (mended.has('interval')) clearInterval(timer);
}

// Leak: answers by address, never dropped.
class FetchedAnswer {
  constructor(number) { this.number = number; this.body = text(500); }
}
const answerCache = new Map();
function remember(number) {
  answerCache.set('/tickets/' + number, new FetchedAnswer(number));
  if (mended.has('map') && answerCache.size > 20) answerCache.delete(answerCache.keys().next().value);
}

// No leaks: a toast that is closed, rows that wait to be used again, listeners of elements that go.
class ToastView {
  constructor(number) { this.number = number; this.element = document.createElement('output'); }
}
class SpareRow {
  constructor(number) { this.number = number; this.element = document.createElement('aside'); }
}
const spareRows = Array.from({length: 40}, (_, i) => new SpareRow(i));
function healthy(number) {
  const toast = new ToastView(number);
  toast.element.addEventListener('click', () => toast.number);
  document.body.append(toast.element);
  toast.element.remove();
  const row = spareRows.pop();
  document.body.append(row.element);
  row.element.remove();
  spareRows.unshift(row);
}

const ACTIONS = {detached: (number) => { const view = new TicketView(number); view.show(); view.close(); }, 'window-listener': watchSize, closure: addDraft, interval: follow, map: remember};
globalThis.setUp = function setUp(seed, fixed) { state = seed; for (const kind of fixed) mended.add(kind); };
globalThis.work = function work(kinds, count) {
  for (let i = 0; i < count; i++, tickets++) {
    healthy(tickets);
    for (const kind of kinds) ACTIONS[kind](tickets);
  }
  return [tickets, closedTickets.length, answerCache.size, saveDrafts === saveNothing];
};
