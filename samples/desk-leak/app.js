// A support desk that leaks, under steady work: takes a heap snapshot of itself after each of three equal rounds.
// usage: node --expose-gc app.js OUTDIR      writes snapshot-{1,2,3}.heapsnapshot and truth.json
//
// Four leaks: answers that are never evicted, listeners that are never removed, timers that are never cleared, chats that
// only grow. Beside them what looks alike and is none: a cache with a limit, a queue that is long now and then, drafts.
// Everything is made up. Secrets are put together at run time, so that no source holds one.
'use strict';
const {EventEmitter} = require('node:events');
const fs = require('node:fs');
const path = require('node:path');
const v8 = require('node:v8');

const outDir = path.resolve(process.argv[2]);
const REQUESTS = 240;                        // in a round
const CACHED = 2, WATCHED = 4, POLLED = 16;  // every so many requests; whoever is polled is watched and cached too
const CUSTOMERS = 12, RECENT = 50, WAITING = [30, 40, 90, 25];

// What is planted goes to a file at once: a list of it in memory would be in the snapshots too, ropes in one piece.
const notes = fs.openSync(path.join(outDir, 'notes'), 'w+');
let round = 0;
let state = 20261119;
const random = (n) => { state = (Math.imul(state, 1103515245) + 12345) >>> 0; return (state >>> 8) % n; };
const pick = (from, n) => Array.from({length: n}, () => from[random(from.length)]).join('');
const letters = (n) => pick('abcdefghijklmnopqrstuvwxyz', n);
const mixed = (n) => pick('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789', n);
const syllables = (n) => { const text = pick(['vel', 'mor', 'tis', 'kan', 'dru', 'fen', 'gol', 'har', 'jas', 'lun', 'pim', 'rok'], n); return text[0].toUpperCase() + text.slice(1); };
const encoded = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
const note = (entry) => fs.writeSync(notes, JSON.stringify({...entry, from: Math.max(round, 1)}) + '\n');
const fake = (place, ...parts) => { const text = parts.join(''); note({place, text}); return text; };
// Kept by the engine in two pieces, as long as nobody reads it.
const rope = (place, prefix, first, second) => { note({place, text: [first, second].join(''), form: 'rope', pieces: [first, second]}); return prefix + first + second; };
const jwt = (place, subject) => fake(place, encoded({alg: 'HS256', typ: 'JWT'}), '.', encoded({sub: subject, jti: letters(8)}), '.', mixed(43));

class Customer {
  constructor(name) {
    this.name = name;
    this.email = fake('customer/email', name.toLowerCase().replace(' ', '.'), '@customer.example');
    this.password = fake('customer/password', mixed(14));
    this.cookie = fake('customer/cookie', 'desk_session=', letters(26));
    this.accessToken = fake('customer/access-token', 'ghp_', mixed(36));
    this.idToken = jwt('customer/id-token', letters(10));
    this.history = new ChatHistory();
  }
}

class ChatMessage {
  constructor(role, content) {
    this.role = role;
    this.content = content;
  }
}

// Leak: nobody shortens it.
class ChatHistory {
  constructor() {
    this.messages = [];
  }
  say(role, content) {
    this.messages.push(new ChatMessage(role, content));
  }
}

class CachedAnswer {
  constructor(question, text) {
    this.question = question;
    this.text = text;
    this.hits = 0;
  }
}

// Leak: by ticket, and every ticket is a new one.
class AnswerCache {
  constructor() {
    this.entries = new Map();
  }
  answer(ticket, question, work) {
    const known = this.entries.get(ticket);
    if (known) return known;
    const fresh = new CachedAnswer(question, work());
    this.entries.set(ticket, fresh);
    return fresh;
  }
}

class RecentTicket {
  constructor(ticket, question) {
    this.ticket = ticket;
    this.question = question;
  }
}

// No leak: has a limit.
class RecentTickets {
  constructor(limit) {
    this.limit = limit;
    this.entries = new Map();
  }
  add(ticket, question) {
    this.entries.set(ticket, new RecentTicket(ticket, question));
    if (this.entries.size > this.limit) this.entries.delete(this.entries.keys().next().value);
  }
}

class QueuedMail {
  constructor(recipient, subject) {
    this.recipient = recipient;
    this.subject = subject;
  }
}

// No leak: what waits is sent in the end.
class Outbox {
  constructor() {
    this.pending = [];
  }
  send(limit) {
    while (this.pending.length > limit) this.pending.shift();
  }
}

class DeskRequest {
  constructor(ticket, customer, question) {
    this.ticket = ticket;
    this.customer = customer;
    this.question = question;
    this.headers = {accept: 'application/json'};
  }
}

class DraftReply {
  constructor(request) {
    this.request = request;
    this.words = request.question.split(' ');
  }
  finish(answer) {
    return this.words.length > 2 ? answer : this.request.question;
  }
}

class ListenerContext {
  constructor(request) {
    this.request = request;
    this.seen = 0;
  }
  see(ticket) {
    if (ticket >= this.request.ticket) this.seen += 1;
  }
}

class TicketFeed extends EventEmitter {
  // Leak: nobody removes the listener.
  watch(request) {
    const context = new ListenerContext(request);
    this.on('ticket', function onTicket(ticket) { context.see(ticket); });
  }
}

class PollJob {
  constructor(ticket, target) {
    this.ticket = ticket;
    this.target = target;
    this.polls = 0;
  }
  // Leak: nobody clears the timer.
  start() {
    setInterval(() => this.poll(), 3600000);
    return this.poll();
  }
  poll() {
    this.polls += 1;
  }
}

class Desk {
  constructor() {
    this.customers = {};
    this.answers = new AnswerCache();
    this.recent = new RecentTickets(RECENT);
    this.outbox = new Outbox();
    this.feed = new TicketFeed().setMaxListeners(0);
    this.requests = 0;
    this.databaseUrl = fake('desk/database-url', 'postgres://desk:', mixed(14), '@db.example:5432/desk');
    this.apiKey = fake('desk/api-key', 'sk-', mixed(48));
    this.orderPattern = new RegExp(fake('desk/regexp-source', 'order-', letters(10)) + '-[0-9]+');
    this.systemPrompt = fake('prompt/system', 'You answer for the shop ', syllables(3), ' and never mention the discount ', mixed(8));
    this.lastError = new Error(fake('desk/error-message', 'login of ', syllables(3), ' failed with ', mixed(12)));
    // Names as keys of a dictionary.
    for (let i = 0; i < CUSTOMERS; i++) {
      const name = fake('customer/name-as-key', syllables(2), ' ', syllables(3));
      this.customers[name] = new Customer(name);
    }
    this.questions = Array.from({length: 16}, () => fake('prompt/user', 'Where is the parcel ', letters(12), ' that I ordered'));
    this.replies = Array.from({length: 16}, () => fake('prompt/assistant', 'It waits for you in locker ', letters(12)));
  }

  async handle(customer) {
    const ticket = ++this.requests;
    const own = ticket % POLLED === 0;
    const question = own ? fake('chat/question', 'My card ', pick('0123456789', 9), ' was charged twice, says ', syllables(4)) : this.questions[ticket % 16];
    const request = new DeskRequest(ticket, customer, question);
    if (own) request.headers.authorization = rope('request/authorization', 'Bearer ', mixed(20), mixed(24));
    this.recent.add(ticket, this.questions[ticket % 16]);
    if (ticket % WATCHED === 0) this.feed.watch(request);
    if (own) new PollJob(ticket, fake('job/target', 'https://poll.example/jobs?key=', mixed(24))).start();
    const work = () => own ? fake('cache/answer', 'We paid back to ', syllables(4), ', code ', letters(10)) : this.replies[ticket % 16];
    const answer = ticket % CACHED === 0 ? this.answers.answer(ticket, question, work).text : work();
    await null;
    customer.history.say('user', question);
    customer.history.say('assistant', new DraftReply(request).finish(answer));
    this.outbox.pending.push(new QueuedMail(customer.email, this.replies[ticket % 16]));
    this.outbox.send(100);
    this.feed.emit('ticket', ticket);
  }
}

async function workRound(desk) {
  const customers = Object.values(desk.customers);
  for (let i = 0; i < REQUESTS; i++) {
    await desk.handle(customers[i % customers.length]);
    if (i % 20 === 0) await new Promise(setImmediate);
  }
  desk.outbox.send(WAITING[round]);
}

// Numbers from the program's own containers, not from the snapshot.
function measure(desk) {
  const customers = Object.values(desk.customers);
  const timers = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const listeners = desk.feed.listenerCount('ticket');
  note({
    work: desk.requests,
    counts: {
      CachedAnswer: desk.answers.entries.size, ListenerContext: listeners, DeskRequest: listeners, Timeout: timers, PollJob: timers,
      ChatMessage: customers.reduce((sum, customer) => sum + customer.history.messages.length, 0),
      RecentTicket: desk.recent.entries.size, QueuedMail: desk.outbox.pending.length, DraftReply: 0,
      Customer: customers.length, ChatHistory: customers.length, AnswerCache: 1,
    },
  });
}

function writeTruth() {
  const lines = fs.readFileSync(path.join(outDir, 'notes'), 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  const planted = lines.filter((line) => line.text);
  const measured = lines.filter((line) => line.counts);
  const row = (name, kind, leak, heldBy) => {
    const counts = measured.map((line) => line.counts[name]);
    return {class: name, kind, leak, held_by: heldBy, per_round: leak ? counts[1] - counts[0] : 0, counts};
  };
  const head = {
    runtime: 'Node.js ' + process.version.slice(1), rounds: 3, work: measured.map((line) => line.work), per_round: REQUESTS, warm_up: REQUESTS,
  };
  const classes = [
    row('CachedAnswer', 'cache', true, 'AnswerCache.entries'),
    row('ListenerContext', 'listener', true, 'TicketFeed._events.ticket'),
    row('DeskRequest', 'listener', true, 'ListenerContext.request'),
    row('Timeout', 'timer', true, 'TimersList'),
    row('PollJob', 'timer', true, 'Timeout._onTimeout'),
    row('ChatMessage', 'chat-history', true, 'ChatHistory.messages'),
    row('RecentTicket', 'cache', false, 'RecentTickets.entries'),
    row('QueuedMail', 'queue', false, 'Outbox.pending'),
    row('DraftReply', 'transient', false, null),
    row('Customer', 'steady', false, 'Desk.customers'),
    row('ChatHistory', 'steady', false, 'Customer.history'),
    row('AnswerCache', 'steady', false, 'Desk.answers'),
  ];
  const list = (rows) => '[\n' + rows.map((entry) => JSON.stringify(entry)).join(',\n') + '\n]';
  fs.writeFileSync(path.join(outDir, 'truth.json'), JSON.stringify(head).slice(0, -1) + ',\n"classes":' + list(classes) + ',\n"planted":' + list(planted) + '}\n');
}

async function main() {
  const desk = globalThis.desk = new Desk();
  await workRound(desk);                     // warm-up
  while (++round <= 3) {
    await workRound(desk);
    measure(desk);
    for (let i = 0; i < 3; i++) {
      await new Promise(setImmediate);
      globalThis.gc();
    }
    v8.writeHeapSnapshot(path.join(outDir, `snapshot-${round}.heapsnapshot`));
  }
  writeTruth();
  process.exit(0);
}
main();
