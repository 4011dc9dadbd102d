// Node places: string values by the object that holds them.
'use strict';
const {AsyncLocalStorage} = require('async_hooks');
const EventEmitter = require('events');
const {Readable} = require('stream');
const http = require('http');
const vm = require('vm');

class Vault {
  #inner;
  constructor(text) { this.#inner = text; }
  size() { return this.#inner.length; }
}
class Setting {}
function argumentsOf() { return arguments; }
function never() { return new Promise(() => {}); }

module.exports = [
  ['value/error-message', 'any', (c, keep) => keep(new Error(c))],
  ['value/error-stack', 'any', (c, keep) => { const e = new TypeError(['bad login', c].join(' ')); keep([e.stack]); keep(e); }],
  ['value/error-cause', 'any', (c, keep) => { const e = new Error('outer'); e.cause = new RangeError(c); keep(e); }],
  ['value/error-property', 'any', (c, keep) => keep(Object.assign(new Error('request failed'), {config: {headers: {authorization: ['Bearer', c].join(' ')}}}))],
  ['value/aggregate-error', 'any', (c, keep) => keep(new AggregateError([new Error(c)], 'all failed')), {when: () => typeof AggregateError === 'function'}],
  ['value/promise-result', 'any', (c, keep) => keep(Promise.resolve(c))],
  ['value/promise-rejection', 'any', (c, keep) => { const p = Promise.reject(new Error(c)); p.catch(() => {}); keep(p); }],
  ['value/promise-reaction', 'any', (c, keep) => { const p = never(); p.then(function later() { return c; }); keep(p); }],
  ['value/generator-local', 'any', (c, keep) => { const g = (function* walk(x) { const held = [x, '1'].join('-'); yield 1; yield held; })(c); g.next(); keep(g); }],
  ['value/async-local', 'any', (c, keep) => {
    let resume; const gate = new Promise(r => { resume = r; }); keep(resume);
    keep((async function work(x) { const held = [x, '2'].join('-'); await gate; return held; })(c));
  }],
  ['value/async-generator', 'any', (c, keep) => { const g = (async function* feed(x) { const held = {page: x}; await never(); yield held; })(c); g.next(); keep(g); }],
  ['value/closure-variable', 'any', (c, keep) => keep((function outer(secret) { return function inner() { return secret; }; })(c))],
  ['value/bound-this', 'any', (c, keep) => keep(argumentsOf.bind({self: c}))],
  ['value/bound-argument', 'any', (c, keep) => keep(argumentsOf.bind(null, c))],
  ['value/arguments-object', 'any', (c, keep) => keep(argumentsOf(1, c))],
  ['value/map-key', 'any', (c, keep) => keep(new Map([[c, {n: 1}]]))],
  ['value/map-value', 'any', (c, keep) => keep(new Map([['fixed', c]]))],
  ['value/map-iterator', 'any', (c, keep) => keep(new Map([[c, 1]]).entries())],
  ['value/set-member', 'any', (c, keep) => keep(new Set([c]))],
  ['value/weakmap-value', 'any', (c, keep) => { const k = {w: 1}; keep(k); keep(new WeakMap([[k, {v: c}]])); }],
  ['value/weakmap-string', 'any', (c, keep) => { const k = {w: 2}; keep(k); keep(new WeakMap([[k, c]])); }],
  ['value/weakref', 'any', (c, keep) => { const o = {deep: c}; keep(o); keep(new WeakRef(o)); }, {when: () => typeof WeakRef === 'function'}],
  ['value/finalization-held', 'any', (c, keep) => { const o = {f: 1}; const r = new FinalizationRegistry(() => {}); r.register(o, c); keep(o); keep(r); }, {when: () => typeof FinalizationRegistry === 'function'}],
  ['value/proxy-target', 'any', (c, keep) => keep(new Proxy({inside: c}, {}))],
  ['value/getter-closure', 'any', (c, keep) => keep({get now() { return c; }})],
  ['value/frozen', 'any', (c, keep) => keep(Object.freeze({cold: c}))],
  ['value/sparse-array', 'any', (c, keep) => { const a = []; a[1000000] = c; keep(a); }],
  ['value/dictionary-value', 'any', (c, keep) => { const o = {}; for (let i = 0; i < 1500; i++) o['slot' + i] = 0; o.slot7 = c; keep(o); }],
  ['value/symbol-keyed', 'any', (c, keep) => keep({[Symbol('plain')]: c})],
  ['value/private-field', 'any', (c, keep) => keep(new Vault(c))],
  ['value/static-field', 'any', (c) => { Setting.shared = c; }, {}],
  ['value/timer-argument', 'any', (c, keep, lab) => lab.timers.push(setTimeout(argumentsOf, 1e8, c))],
  ['value/timer-closure', 'any', (c, keep, lab) => lab.timers.push(setInterval(() => c.length, 1e8))],
  ['value/listener', 'any', (c, keep) => { const e = new EventEmitter(); e.on('tick', function onTick() { return c; }); keep(e); }],
  ['value/als-store', 'any', (c, keep, lab) => { const s = new AsyncLocalStorage(); keep(s); s.run({tenant: c}, () => lab.timers.push(setTimeout(never, 1e8))); }],
  ['value/url-object', 'pass', (c, keep) => keep(new URL(['https://host.example/', c, '?x=1'].join('')))],
  ['value/urlsearchparams', 'any', (c, keep) => keep(new URLSearchParams({key: c}))],
  ['value/headers', 'token', (c, keep) => keep(new Headers({'x-api-key': c})), {when: () => typeof Headers === 'function'}],
  ['value/outgoing-header', 'token', (c, keep) => { const m = new http.OutgoingMessage(); m.setHeader('Authorization', ['Bearer', c].join(' ')); keep(m); }],
  ['value/stream-buffer', 'any', (c, keep) => { const r = new Readable({objectMode: true, read() {}}); r.push({line: c}); keep(r); }],
  ['value/abort-reason', 'any', (c, keep) => { const a = new AbortController(); a.abort(new Error(c)); keep(a); }, {when: () => typeof AbortController === 'function' && Number(process.versions.node.split('.')[0]) >= 18}],
  ['value/env-copy', 'token', (c, keep) => keep({...process.env})],
  ['value/argv', 'token', (c, keep) => keep(process.argv)],
  ['value/vm-global', 'any', (c, keep) => keep(vm.createContext({payload: c}))],
  ['value/module-exports', 'any', (c) => { require('./empty.js').loaded = c; }],
  ['value/json-module', 'any', (c, keep, lab) => keep(require(lab.write('settings.json', JSON.stringify({dsn: c}))))],
  ['value/console-count-label', 'any', (c, keep, lab) => lab.quietConsole.count(c)],
  ['value/class-list', 'any', (c, keep) => keep(Array.from({length: 50}, (_, i) => ({role: 'user', turn: i, content: [c, i].join('#')})))],
  ['value/regexp-last-match', 'any', (c, keep) => keep(/^login (.+)$/.exec(['login', c].join(' ')))],
];
