//! Advice for programs in JavaScript: Node.js, browsers, Deno, Bun.

use super::Advice;
use crate::summarise::owner_kind::OwnerKind;

pub(super) fn advice(kind: OwnerKind) -> Option<&'static Advice> {
    Some(match kind {
        OwnerKind::Cache => &CACHE,
        OwnerKind::Set => &SET,
        OwnerKind::Dictionary => &DICTIONARY,
        OwnerKind::List => &LIST,
        OwnerKind::LinkedList => &LINKED_LIST,
        OwnerKind::Queue => &QUEUE,
        OwnerKind::EventListener => &EVENT_LISTENER,
        OwnerKind::EventTarget => &EVENT_TARGET,
        OwnerKind::AbortSignal => &ABORT_SIGNAL,
        OwnerKind::Timer => &TIMER,
        OwnerKind::Interval => &INTERVAL,
        OwnerKind::Closure => &CLOSURE,
        OwnerKind::PromiseChain => &PROMISE_CHAIN,
        OwnerKind::SuspendedFunction => &SUSPENDED_FUNCTION,
        OwnerKind::Request => &REQUEST,
        OwnerKind::AsyncContext => &ASYNC_CONTEXT,
        OwnerKind::Static => &STATIC,
        OwnerKind::Global => &GLOBAL,
        OwnerKind::Pool => &POOL,
        OwnerKind::OpenHandle => &OPEN_HANDLE,
        OwnerKind::Embeddings => &EMBEDDINGS,
        OwnerKind::ChatHistory => &CHAT_HISTORY,
        OwnerKind::McpState => &MCP_STATE,
        OwnerKind::DetachedDom => &DETACHED_DOM,
        OwnerKind::WeakMap => &WEAK_MAP,
        OwnerKind::Unknown => return None,
    })
}

static CACHE: Advice = Advice {
    means: "A Map is filled as the program works, and nothing takes entries out.",
    advice: "Give the Map an upper bound and delete the entry that was not used for longest, or let entries expire. \
             A WeakMap helps only if the keys are objects that live just as long as their entries are needed.",
    before: "\
const answers = new Map();
function remember(question, answer) {
  answers.set(question, answer);
}",
    after: "\
const answers = new Map(), LIMIT = 1000;
function remember(question, answer) { // call it again on every hit
  answers.delete(question);
  answers.set(question, answer);
  if (answers.size > LIMIT) answers.delete(answers.keys().next().value);
}",
};

static SET: Advice = Advice {
    means: "Values are added to a Set as the program works, and nothing deletes them.",
    advice: "Delete a value when the work it stands for ends, whichever way it ends. If the Set only marks objects as \
             seen, a WeakSet does that without keeping them.",
    before: "\
async function handle(job) {
  active.add(job);
  await run(job);
}",
    after: "\
async function handle(job) {
  active.add(job);
  try { await run(job); } finally { active.delete(job); }
}",
};

static DICTIONARY: Advice = Advice {
    means: "A plain object is used as a table: keys are added as the program works, and none is deleted.",
    advice: "Delete the key when what it stands for ends. A Map is the better table: it knows its size, so it can be \
             given an upper bound.",
    before: "\
const sessions = {};
function open(id, socket) {
  sessions[id] = new Session(socket);
}",
    after: "\
const sessions = new Map();
function open(id, socket) {
  sessions.set(id, new Session(socket));
  socket.once('close', () => sessions.delete(id));
}",
};

static LIST: Advice = Advice {
    means: "An array that lives as long as the program is only pushed to.",
    advice: "Write entries out and let them go, or keep only the last ones. What has to be kept for good belongs into a \
             file or a database.",
    before: "\
const audit = [];
function note(line) {
  audit.push(line);
}",
    after: "\
const audit = [];
function note(line) {
  audit.push(line);
  if (audit.length >= 500) writeOut(audit.splice(0)); // splice empties the array
}",
};

static LINKED_LIST: Advice = Advice {
    means: "Each item refers to its neighbour, so whoever holds one item holds all that come behind it.",
    advice: "Bound the number of items, and cut the link of an item that is taken out. Do not keep references to single \
             items elsewhere: one of them keeps the whole rest.",
    before: "\
function add(value) {
  newest = {value, previous: newest};
}",
    after: "\
function add(value) {
  newest = {value, previous: newest, next: null};
  if (newest.previous) newest.previous.next = newest; else oldest = newest;
  if (++length > LIMIT) { oldest = oldest.next; oldest.previous = null; length--; }
}",
};

static QUEUE: Advice = Advice {
    means: "Work is put into a queue faster than it is taken out, or it stays in after it was done.",
    advice: "Limit the length: when the queue is full, let producers wait (back-pressure) or refuse the work. Take items \
             out when they start, not when somebody cleans up.",
    before: "\
function submit(job) {
  queue.push(job);
}",
    after: "\
async function submit(job) {
  while (queue.length >= LIMIT) await once(events, 'taken');
  queue.push(job);
}
function take() { const job = queue.shift(); events.emit('taken'); return job; }",
};

static EVENT_LISTENER: Advice = Advice {
    means: "Listeners are added to an emitter that lives long, and they are never removed.",
    advice: "Remove the listener in finally when its work ends, or use once if one event is enough. A higher \
             setMaxListeners only hides the warning.",
    before: "\
async function handle(session) {
  bus.on('config', () => session.reload());
  await session.run();
}",
    after: "\
async function handle(session) {
  const reload = () => session.reload();
  bus.on('config', reload);
  try { await session.run(); } finally { bus.removeListener('config', reload); }
}",
};

static EVENT_TARGET: Advice = Advice {
    means: "Listeners are added to an event target that lives long (a window, an element, a port) and never removed.",
    advice: "Pass the signal of an AbortController and abort it when the part of the program ends, or add the listener \
             with {once: true}. removeEventListener needs the same function that was added.",
    before: "\
function open(panel) {
  window.addEventListener('resize', () => panel.fit());
}",
    after: "\
function open(panel) {
  const closed = new AbortController();
  window.addEventListener('resize', () => panel.fit(), {signal: closed.signal});
  panel.onclose = () => closed.abort();
}",
};

static ABORT_SIGNAL: Advice = Advice {
    means: "Each operation adds a listener to an abort signal that lives longer than the operation.",
    advice: "Remove the listener when the operation ends: {once: true} alone does not help, since the signal may never \
             fire. Or give each operation an AbortController of its own.",
    before: "\
async function call(task, stop) {
  stop.addEventListener('abort', () => task.cancel());
  return task.run();
}",
    after: "\
async function call(task, stop) {
  const cancel = () => task.cancel();
  stop.addEventListener('abort', cancel, {once: true});
  try { return await task.run(); } finally { stop.removeEventListener('abort', cancel); }
}",
};

static TIMER: Advice = Advice {
    means: "Timers that have not fired yet keep their callback and everything it uses.",
    advice: "Call clearTimeout as soon as the timer is not needed any more, also when the work fails. unref lets the \
             process end, but frees nothing.",
    before: "\
function limited(work, ms) {
  const late = new Promise((_, reject) => setTimeout(reject, ms));
  return Promise.race([work, late]);
}",
    after: "\
function limited(work, ms) {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(reject, ms); });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}",
};

static INTERVAL: Advice = Advice {
    means: "Intervals run until they are cleared, and keep their callback and everything it uses.",
    advice: "Keep what setInterval returns and call clearInterval when the work ends, whichever way it ends. One interval \
             for all jobs is better than one for each.",
    before: "\
async function run(job) {
  setInterval(() => job.poll(), 1000);
  await job.done();
}",
    after: "\
async function run(job) {
  const timer = setInterval(() => job.poll(), 1000);
  try { await job.done(); } finally { clearInterval(timer); }
}",
};

static CLOSURE: Advice = Advice {
    means: "A function that is kept holds the variables of the place where it was made.",
    advice: "Let the function go when it is not needed any more, or make it where only small values are in reach. \
             Functions made in one place share their variables: one of them keeps what any other one uses.",
    before: "\
function exporter(report) {
  const rows = report.load();
  return () => rows.length;
}",
    after: "\
function exporter(report) {
  const count = report.load().length;
  return () => count;
}",
};

static PROMISE_CHAIN: Advice = Advice {
    means: "Links are added to promises that do not settle, so each link keeps its callback and what that uses.",
    advice: "See to it that every promise settles: give what may hang a time limit, and handle errors at each link. \
             Do not add to one chain for the whole life of the program.",
    before: "\
let last = Promise.resolve();
function enqueue(job) {
  last = last.then(() => run(job)); // one job that hangs holds all behind it
}",
    after: "\
let last = Promise.resolve();
function enqueue(job) {
  last = last.then(() => run(job, {signal: AbortSignal.timeout(30_000)})).catch(report);
}",
};

static SUSPENDED_FUNCTION: Advice = Advice {
    means: "Async functions or generators stopped at an await or yield and never went on, with all their variables.",
    advice: "Give every await on the outside world a time limit or a signal. Finish generators: for...of does it, and \
             whoever calls next() by hand has to call return() too.",
    before: "\
async function ask(prompt) {
  const body = await expand(prompt);
  return fetch(url, {method: 'POST', body}); // may never answer
}",
    after: "\
async function ask(prompt) {
  const body = await expand(prompt);
  return fetch(url, {method: 'POST', body, signal: AbortSignal.timeout(30_000)});
}",
};

static REQUEST: Advice = Advice {
    means: "Requests or responses are kept after the answer was sent, with headers, socket and parser.",
    advice: "Copy the few fields that a trace needs and let the request go. Bound the list of traces, or send them away.",
    before: "\
function trace(req, res) {
  traces.push({req, res, started: Date.now()});
}",
    after: "\
function trace(req, res) {
  traces.push({method: req.method, path: req.url, started: Date.now()});
  if (traces.length > 200) traces.shift();
}",
};

static ASYNC_CONTEXT: Advice = Advice {
    means: "The store of an AsyncLocalStorage lives as long as any timer, promise or connection made while it was set.",
    advice: "Keep stores small: ids, not documents. Make what lives long, such as intervals and connections, outside of \
             run, and end what was started inside.",
    before: "\
storage.run({document}, () => {
  setInterval(report, 60_000); // keeps the document
  answer();
});",
    after: "\
setInterval(report, 60_000); // once, when the program starts
storage.run({documentId: document.id}, () => {
  answer();
});",
};

static STATIC: Advice = Advice {
    means: "A static field belongs to the class, so what is put into it lives as long as the program.",
    advice: "Take objects out of the static collection when their life ends, or make the collection a field of an object \
             that ends itself.",
    before: "\
class Session {
  static all = new Set();
  constructor() { Session.all.add(this); }
}",
    after: "\
class Session {
  static open = new Set();
  constructor() { Session.open.add(this); }
  close() { Session.open.delete(this); }
}",
};

static GLOBAL: Advice = Advice {
    means: "A property of the global object keeps its value until it is overwritten or the program ends.",
    advice: "Keep the value in a variable or field whose life ends with the work. In modules and under 'use strict' an \
             assignment without a declaration is an error, not a new global.",
    before: "\
function load(file) {
  result = parse(file); // no declaration: becomes a global
  return result.size;
}",
    after: "\
'use strict';
function load(file) {
  const result = parse(file);
  return result.size;
}",
};

static POOL: Advice = Advice {
    means: "Connections or other shared objects were taken from a pool and not given back, or the pool has no limit.",
    advice: "Give back in finally, so that an error does not keep the connection. Set a maximum and a time after which \
             idle connections are closed.",
    before: "\
async function rows(sql) {
  const client = await pool.connect();
  return (await client.query(sql)).rows; // never given back
}",
    after: "\
async function rows(sql) {
  const client = await pool.connect();
  try { return (await client.query(sql)).rows; } finally { client.release(); }
}",
};

static OPEN_HANDLE: Advice = Advice {
    means: "Files, streams or sockets were opened and not closed, with their buffers and callbacks.",
    advice: "Close in finally. Join streams with pipeline, which destroys all of them when one fails, and set time-outs \
             on sockets.",
    before: "\
async function read(path) {
  const file = await open(path);
  return parse(await file.readFile()); // stays open
}",
    after: "\
async function read(path) {
  const file = await open(path);
  try { return parse(await file.readFile()); } finally { await file.close(); }
}",
};

static EMBEDDINGS: Advice = Advice {
    means: "Vectors of numbers (embeddings) are kept for every text that was ever embedded.",
    advice: "Store vectors in a file or a vector store batch by batch, or bound how many are kept. A subarray keeps the \
             whole buffer of its batch; slice copies only its part.",
    before: "\
const vectors = [];
for (const batch of batches) {
  vectors.push(...await embed(batch));
}",
    after: "\
for (const batch of batches) {
  await store.insert(await embed(batch)); // no vector outlives its batch
}",
};

static CHAT_HISTORY: Advice = Advice {
    means: "The messages of conversations are kept from the first one on, and every turn adds more.",
    advice: "Keep a window: the instructions and the last messages, with a summary in place of older ones. Store ended \
             conversations elsewhere and let them go.",
    before: "\
async function turn(history, content) {
  history.push({role: 'user', content});
  history.push(await model.reply(history));
}",
    after: "\
async function turn(history, content) {
  history.push({role: 'user', content});
  history.push(await model.reply(history));
  if (history.length > 40) history.splice(1, history.length - 40); // [0] instructs
}",
};

static MCP_STATE: Advice = Advice {
    means: "Sessions of a tool server (MCP) are kept after their client has gone, with transports and results.",
    advice: "Delete the session when its transport closes. Clients vanish without a word, so also close sessions that \
             were idle for long, and bound the results that are kept for each.",
    before: "\
async function open(id, transport) {
  sessions.set(id, {transport, results: []});
  await server.connect(transport);
}",
    after: "\
async function open(id, transport) {
  transport.onclose = () => sessions.delete(id);
  sessions.set(id, {transport, results: [], lastUsed: Date.now()});
  await server.connect(transport); // and a timer closes what was idle for long
}",
};

static DETACHED_DOM: Advice = Advice {
    means: "Elements that are no longer in the page are still held by variables, lists or listeners of the program.",
    advice: "Drop every reference when an element leaves the page; one reference to one element keeps its whole detached \
             tree. Remove listeners on the window or document that use it.",
    before: "\
function close(panel) {
  panel.element.remove();
  closed.push(panel);
}",
    after: "\
function close(panel) {
  panel.element.remove();
  panel.element = null;
  closed.push(panel.title); // what is shown later, not the elements
}",
};

static WEAK_MAP: Advice = Advice {
    means: "A WeakMap lets an entry go only when its key goes, and here the keys are kept.",
    advice: "Let go of the keys: look at the path for what keeps them. Use as key the object whose life the entry should \
             share, never one that lives as long as the program.",
    before: "\
const details = new WeakMap(), known = [];
function describe(node, detail) {
  known.push(node); // keeps every entry
  details.set(node, detail);
}",
    after: "\
const details = new WeakMap();
function describe(node, detail) {
  details.set(node, detail); // goes with the node
}",
};
