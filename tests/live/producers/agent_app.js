// A program that looks like an agent server: sessions with messages, tool calls, caches, timers and listeners.
// Fills its heap in a repeatable way and writes a snapshot; used for size, speed and leak checks.
//
// usage: node --expose-gc [--max-old-space-size=8000] agent_app.js --sessions N --out FILE [--seed N] [--truth FILE] [--more N --then FILE]
//   950 sessions give about 50 MB, 20000 about 1 GB
//   --more    after the snapshot opens so many sessions more and writes another one
//   --truth   lists the planted secrets (kind, place, value) as JSON
// All secrets are made up.
'use strict';
const fs = require('fs');
const v8 = require('v8');
const {EventEmitter} = require('events');

function option(name, fallback) {
  const at = process.argv.indexOf('--' + name);
  return at < 0 ? fallback : process.argv[at + 1];
}
const sessionCount = Number(option('sessions', '10'));
const outFile = option('out', 'agent.heapsnapshot');
const truthFile = option('truth');

// Repeatable random numbers (a 32 bit xorshift), so that two runs build the same heap.
let state = (Number(option('seed', '1')) * 2654435761) >>> 0 || 1;
function random() {
  state ^= state << 13;
  state >>>= 0;
  state ^= state >>> 17;
  state ^= state << 5;
  state >>>= 0;
  return state / 4294967296;
}
const below = (limit) => Math.floor(random() * limit);
const pick = (list) => list[below(list.length)];

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const HEX = '0123456789abcdef';
const MIXED = LETTERS + LETTERS.toUpperCase() + DIGITS;
const WORDS = `the agent reads a ticket looks up the order and asks which address should receive the parcel then it checks stock
  compares three suppliers writes a short plan calls the pricing tool waits for an answer notes every assumption and hands over to
  a person when the budget is spent or the policy forbids the step invoice contract renewal shipment warehouse schedule summary
  draft reply memory context prompt token window limit retry stream chunk schema field error review index vector query`.split(/\s+/);
const characters = (alphabet, count) => Array.from({length: count}, () => alphabet[below(alphabet.length)]).join('');
function prose(length) {
  const words = [];
  for (let have = 0; have < length; have += words[words.length - 1].length + 1) words.push(pick(WORDS));
  return words.join(' ');
}
// A copy that is one flat string, never a rope.
const flat = (text) => Buffer.from(text).toString();

// Planted values are remembered as bytes: the list must not add a plain copy to the heap's strings.
const planted = [];
function plant(kind, where, text) {
  planted.push({kind, where, bytes: Buffer.from(text)});
  return text;
}
const secrets = {
  model: () => 'sk-proj-' + characters(MIXED, 48),
  forge: () => 'ghp_' + characters(MIXED, 36),
  cloud: () => 'AKIA' + characters(LETTERS.toUpperCase() + '234567', 16),
  chat: () => ['xoxb', characters(DIGITS, 11), characters(DIGITS, 12), characters(MIXED, 24)].join('-'),
  token: () => ['eyJhbGciOiJIUzI1NiJ9', characters(MIXED, 60), characters(MIXED, 43)].join('.'),
  email: () => characters(LETTERS, 8) + '@example.com',
  bearer: () => 'Bearer ' + characters(MIXED, 40),
};

class Message {
  constructor(role, content, sentAt) { this.role = role; this.content = content; this.tokens = content.length >> 2; this.sentAt = sentAt; }
}
class ToolCall {
  constructor(tool, input, output) { this.tool = tool; this.input = input; this.output = output; }
}
class AgentSession extends EventEmitter {
  constructor(id, user) {
    super();
    this.id = id;
    this.user = user;
    this.messages = [];
    this.toolCalls = [];
    this.headers = null;
    this.scratch = null;
    this.embedding = null;
    this.parent = null;
    this.stopper = new AbortController();
  }
}
class BoundedCache {
  constructor(limit) { this.limit = limit; this.entries = new Map(); }
  put(key, value) {
    this.entries.set(key, value);
    if (this.entries.size > this.limit) this.entries.delete(this.entries.keys().next().value);
  }
}

const server = {
  sessions: new Map(), users: new Map(), answers: new BoundedCache(sessionCount * 6 + 50), notes: new WeakMap(),
  timers: [], bus: new EventEmitter(), labels: new Set(),
  config: {
    apiKey: plant('model', 'config.apiKey', secrets.model()), repositoryToken: plant('forge', 'config.repositoryToken', secrets.forge()),
    region: 'eu-west-1', systemPrompt: 'You help customers of a shop. ' + prose(900),
  },
};
server.bus.setMaxListeners(0);

// Texts with a secret in different forms: joined, rope piece, rope that cuts the secret in two, slice.
function messageText(session, turn) {
  if (turn === 0) return server.config.systemPrompt;
  const body = prose(60 + below(turn % 5 === 0 ? 2600 : 700));
  if (turn === 3 && session % 5 === 0) return [body.slice(0, 200), 'my key is', plant('cloud', 'message text', secrets.cloud()), body.slice(200)].join(' ');
  if (turn === 5 && session % 9 === 0) return 'token=' + plant('chat', 'rope piece', secrets.chat()) + ' ' + body;
  if (turn === 7 && session % 11 === 0) {
    const [head, tail] = [flat('sk-proj-' + characters(MIXED, 12)), flat(characters(MIXED, 36))];
    planted.push({kind: 'model', where: 'rope that cuts the secret', bytes: Buffer.concat([Buffer.from(head), Buffer.from(tail)])});
    return 'key ' + head + tail + '. ' + body;
  }
  if (turn === 9 && session % 6 === 0) return (prose(3000) + ' ' + body).slice(500, 1400);
  return body;
}

function toolCall(session, call) {
  const input = JSON.parse(JSON.stringify({query: prose(80), limit: below(50), filters: {language: 'en', since: '2024-0' + (1 + below(9)) + '-11'}}));
  const rows = Array.from({length: 12}, (_, row) => ({id: session * 1000 + call * 12 + row, score: random(), title: prose(40), link: 'https://docs.example.com/' + characters(MIXED, 10)}));
  return new ToolCall(pick(['search', 'fetch', 'query', 'script']), input, {rows, raw: Buffer.alloc(512, 97 + (session % 26))});
}

function openSession(index, previous) {
  const user = {userId: 100000 + index, email: plant('email', 'user.email', secrets.email()), plan: pick(['free', 'pro', 'team']), locale: pick(['en', 'de', 'ja'])};
  const session = new AgentSession('session_' + characters(HEX, 12), user);
  session.parent = index % 7 === 0 ? null : previous;
  session.headers = {authorization: plant('bearer', 'headers.authorization', secrets.bearer()), 'content-type': 'application/json', 'x-request-id': characters(HEX, 32)};
  for (let turn = 0; turn < 24; turn++) {
    const role = turn === 0 ? 'system' : turn % 2 ? 'user' : 'assistant';
    session.messages.push(new Message(role, messageText(index, turn), 1.7e12 + index * 1000 + turn + random()));
  }
  for (let call = 0; call < 4; call++) session.toolCalls.push(toolCall(index, call));
  session.embedding = Float32Array.from({length: 64}, random);
  session.scratch = {token: index % 4 === 0 ? plant('token', 'scratch.token', secrets.token()) : null, lines: Array.from({length: 10}, () => prose(120)), counters: Array.from({length: 40}, random)};
  return session;
}

function register(index, session) {
  session.on('message', function onMessage(message) { session.last = message; });
  server.bus.on('tick', () => session.messages.length + session.user.userId);
  session.stopper.signal.addEventListener('abort', () => server.sessions.delete(session.id));
  if (index % 3 === 0) {
    const timer = setTimeout(function closeIdle() { server.sessions.delete(session.id); }, 1e8 + index);
    timer.unref();
    server.timers.push(timer);
  }
  server.sessions.set(session.id, session);
  server.users.set(session.user.userId, session.user);
  server.notes.set(session, {opened: 1.7e12 + index, trace: characters(HEX, 32)});
  server.labels.add('label-' + (index % 97));
  for (let answer = 0; answer < 6; answer++) {
    server.answers.put('answer:' + characters(HEX, 16), {model: 'model-' + (answer % 3), prompt: session.messages[1 + answer].content, completion: prose(300), usage: {prompt: below(900), completion: below(400)}});
  }
}

let previous = null, opened = 0;
function openSessions(count) {
  for (const end = opened + count; opened < end; opened++) {
    const session = openSession(opened, previous);
    register(opened, session);
    previous = opened % 7 === 6 ? null : session;
  }
}
function takeSnapshot(file) {
  if (globalThis.gc) { globalThis.gc(); globalThis.gc(); }
  v8.writeHeapSnapshot(file);
}
openSessions(sessionCount);
globalThis.server = server;
takeSnapshot(outFile);
if (option('then')) {
  openSessions(Number(option('more', '1')));
  takeSnapshot(option('then'));
}
// The truth comes last: its text must not be in the heap while the snapshot is taken.
if (truthFile) {
  const classes = {AgentSession: opened, Message: opened * 24, ToolCall: opened * 4};
  fs.writeFileSync(truthFile, JSON.stringify({sessions: opened, node: process.version, classes, planted: planted.map(({kind, where, bytes}) => ({kind, where, value: bytes.toString()}))}, null, 1));
}
process.exit(0);
