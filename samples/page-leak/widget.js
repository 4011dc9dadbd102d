// A chat widget that leaks, in a page: each round opens and closes panels. Driven by take.cjs.
//
// Three leaks: closed panels that a list keeps (detached DOM nodes), listeners of the window that are never removed,
// closures that keep a large array. Beside them what looks alike and is none: detached rows that wait to be used again,
// a store with fixed slots, toasts that are closed for good.
// Everything is made up. Secrets are put together at run time, so that no source holds one.
'use strict';
const PANELS = 24;                   // in a round
const LINES = 4, EXPORTED = 8, ROWS = 120, SPARE = 30, SLOTS = 10;

// What is planted is handed out after each round and not kept: a list of it would be in the snapshots too.
let planted = [];
let state = 20261120;
const random = (n) => { state = (Math.imul(state, 1103515245) + 12345) >>> 0; return (state >>> 8) % n; };
const pick = (from, n) => Array.from({length: n}, () => from[random(from.length)]).join('');
const letters = (n) => pick('abcdefghijklmnopqrstuvwxyz', n);
const mixed = (n) => pick('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789', n);
const syllables = (n) => { const text = pick(['vel', 'mor', 'tis', 'kan', 'dru', 'fen', 'gol', 'har', 'jas', 'lun', 'pim', 'rok'], n); return text[0].toUpperCase() + text.slice(1); };
const encoded = (value) => btoa(JSON.stringify(value)).replace(/=+$/, '');
const fake = (place, ...parts) => { const text = parts.join(''); planted.push({place, text}); return text; };
// Kept by the engine in two pieces, as long as nobody reads it.
const rope = (place, prefix, first, second) => { planted.push({place, form: 'rope', pieces: [first, second]}); return prefix + first + second; };

class ChatLine {
  constructor(author, text) {
    this.author = author;
    this.text = text;
  }
}

class PanelView {
  constructor(number, visitor, spare) {
    this.number = number;
    this.lines = Array.from({length: LINES}, (_, i) => new ChatLine(visitor, widget.phrases[(number + i) % widget.phrases.length]));
    this.element = document.createElement('section');
    this.element.className = 'panel';
    if (number % 2 === 0) {
      this.element.setAttribute('data-visitor-token', fake('dom/attribute', 'vt_', mixed(28)));
      this.lines[0].text = fake('dom/chat-text', 'My name is ', syllables(4), ' and my order is ', letters(10));
      this.authorization = rope('panel/authorization', 'Bearer ', mixed(20), mixed(24));
    }
    for (const line of this.lines) {
      const paragraph = document.createElement('p');
      paragraph.textContent = line.text;
      this.element.append(paragraph);
    }
    this.element.append(spare);
  }
  open() {
    document.getElementById('help').append(this.element);
  }
  close() {
    this.element.lastChild.remove();
    this.element.remove();
  }
}

// Leak: for a button "show again" that was never built.
class PanelHistory {
  constructor() {
    this.closed = [];
  }
  keep(panel) {
    this.closed.push(panel);
  }
}

class ResizeContext {
  constructor(panel) {
    this.number = panel.number;
    this.width = 0;
  }
  // Leak: nobody removes the listener.
  listen() {
    window.addEventListener('resize', () => this.resized());
    return this.resized();
  }
  resized() {
    this.width = window.innerWidth;
  }
}

class TranscriptRow {
  constructor(number, text) {
    this.number = number;
    this.text = text;
  }
}

class Exporters {
  constructor() {
    this.functions = [];
  }
  // Leak: the rows stay with the function that could export them.
  add(panel) {
    const rows = Array.from({length: ROWS}, (_, i) => new TranscriptRow(i, panel.lines[i % LINES].text));
    this.functions.push(function exportRows() { return rows.length; });
    return this.functions[this.functions.length - 1]();
  }
}

// No leak: detached on purpose, used again and again.
class SpareRows {
  constructor(count) {
    this.free = Array.from({length: count}, () => document.createElement('aside'));
  }
  take() {
    return this.free.pop();
  }
  give(row) {
    this.free.push(row);
  }
}

class Draft {
  constructor(text) {
    this.text = text;
    this.saved = 0;
  }
}

// No leak: one draft for each visitor. Names as keys of a dictionary.
class DraftStore {
  constructor() {
    this.byVisitor = {};
  }
  save(visitor, text) {
    this.byVisitor[visitor] = new Draft(text);
    this.byVisitor[visitor].saved += 1;
  }
}

class Toast {
  constructor(text) {
    this.element = document.createElement('output');
    this.element.textContent = text;
  }
  flash() {
    document.body.append(this.element);
    this.element.remove();
  }
}

class Widget {
  constructor() {
    this.history = new PanelHistory();
    this.exporters = new Exporters();
    this.spare = new SpareRows(SPARE);
    this.drafts = new DraftStore();
    this.opened = 0;
  }
  setUp() {
    this.pageAddress = location.href;
    this.apiKey = fake('widget/api-key', 'sk-', mixed(48));
    this.idToken = fake('widget/id-token', encoded({alg: 'HS256', typ: 'JWT'}), '.', encoded({sub: letters(10)}), '.', mixed(43));
    this.cookie = fake('widget/cookie', 'chat_session=', letters(26));
    this.orderPattern = new RegExp(fake('widget/regexp-source', 'order-', letters(10)) + '-[0-9]+');
    this.systemPrompt = fake('prompt/system', 'You answer for the shop ', syllables(3), ' and never mention the discount ', mixed(8));
    this.visitors = Array.from({length: SLOTS}, () => fake('visitor/name-as-key', syllables(2), ' ', syllables(3)));
    this.mails = this.visitors.map((name) => fake('visitor/email', name.toLowerCase().replace(' ', '.'), '@visitor.example'));
    this.phrases = Array.from({length: 12}, () => fake('chat/phrase', 'Where is the parcel ', letters(12), ' that I ordered'));
    // In the page itself, not detached.
    const form = document.createElement('form');
    form.setAttribute('action', fake('dom/form-action', 'https://desk.example/login?ticket=', mixed(24)));
    form.setAttribute('data-login', this.visitors[0]);
    const field = document.createElement('input');
    field.setAttribute('type', 'password');
    field.setAttribute('value', fake('dom/password', mixed(14)));
    form.append(field);
    document.body.append(form);
    this.form = form;
  }
  visit(visitor) {
    const panel = new PanelView(++this.opened, visitor, this.spare.take());
    panel.open();
    this.drafts.save(visitor, panel.lines[1].text);
    new ResizeContext(panel).listen();
    if (panel.number % EXPORTED === 0) this.exporters.add(panel);
    new Toast(panel.lines[1].text).flash();
    this.spare.give(panel.element.lastChild);
    panel.close();
    this.history.keep(panel);
  }
  round() {
    for (let i = 0; i < PANELS; i++) this.visit(this.visitors[i % SLOTS]);
  }
  // Numbers from the program's own containers, not from the snapshot.
  measure() {
    const panels = this.history.closed;
    return {
      PanelView: panels.length, ChatLine: panels.reduce((sum, panel) => sum + panel.lines.length, 0),
      ResizeContext: this.opened, TranscriptRow: this.exporters.functions.reduce((sum, count) => sum + count(), 0),
      Draft: Object.keys(this.drafts.byVisitor).length, Toast: 0, PanelHistory: 1,
      section: panels.length, p: panels.reduce((sum, panel) => sum + panel.element.childElementCount, 0), aside: this.spare.free.length, output: 0,
    };
  }
}

const widget = globalThis.widget = new Widget();
// For take.cjs: does the work and hands out what was planted since the last call.
globalThis.work = function work(first) {
  if (first) widget.setUp();
  widget.round();
  const fresh = planted;
  planted = [];
  return {work: widget.opened, counts: widget.measure(), planted: fresh};
};
