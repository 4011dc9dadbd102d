// Node places: keys of objects, symbols and elements that are data.
'use strict';
const http = require('http');
const vm = require('vm');

class Tenant { constructor(n) { this.n = n; this.meta = {n}; } }
class Registry { add(name, item) { this[name] = item; } }
class Cell {}
function labelled() {}

module.exports = [
  ['key/small-object', 'any', (c, keep) => keep({[c]: {seen: 1}})],
  ['key/small-number-value', 'any', (c, keep) => keep({[c]: 7})],
  ['key/three-in-one', 'letters', (c, keep) => keep({[c]: {n: 1}, fixedOne: {n: 2}, fixedTwo: {n: 3}})],
  ['key/dictionary', 'any', (c, keep) => { const o = {}; for (let i = 0; i < 1500; i++) o['row' + i] = {}; o[c] = {}; keep(o); }],
  ['key/deleted-then-dictionary', 'any', (c, keep) => { const o = {first: {}, second: {}, [c]: {}, third: {}}; delete o.first; keep(o); }],
  ['key/nested', 'any', (c, keep) => keep({level: {level: {level: {[c]: {deep: true}}}}})],
  ['key/null-prototype', 'any', (c, keep) => { const o = Object.create(null); o[c] = {v: 1}; keep(o); }],
  ['key/json-parsed', 'any', (c, keep) => keep(JSON.parse(JSON.stringify({accounts: {[c]: {balance: 'none'}}})))],
  ['key/json-records', 'letters', (c, keep) => keep(Array.from({length: 300}, () => JSON.parse(JSON.stringify({id: 'r', [c]: {x: 1}}))))],
  ['key/two-dictionaries', 'letters', (c, keep) => { keep({[c]: {quota: 1}}); keep({[c]: {limit: 1}}); }],
  ['key/accessor', 'any', (c, keep) => keep(Object.defineProperty({}, c, {get() { return 1; }, set() {}, enumerable: true}))],
  ['key/function-valued', 'ident', (c, keep) => keep({[c]: function () { return 1; }})],
  ['key/arrow-valued', 'letters', (c, keep) => keep({[c]: () => 1})],
  ['key/class-valued', 'letters', (c, keep) => { const o = {[c]: class {}}; keep(o); keep(new o[c]()); }],
  ['key/on-array', 'any', (c, keep) => { const a = [1, 2]; a[c] = {m: 1}; keep(a); }],
  ['key/on-function', 'any', (c, keep) => { labelled[c] = {m: 2}; keep(labelled); }],
  ['key/on-map', 'any', (c, keep) => { const m = new Map(); m[c] = {m: 3}; keep(m); }],
  ['key/on-error', 'any', (c, keep) => { const e = new Error('x'); e[c] = {m: 4}; keep(e); }],
  ['key/global', 'any', (c) => { globalThis[c] = {g: 1}; }],
  ['key/vm-global', 'letters', (c, keep) => keep(vm.createContext({[c]: {g: 2}}))],
  ['key/frozen', 'any', (c, keep) => keep(Object.freeze({[c]: {z: 1}}))],
  ['key/proxy-target', 'any', (c, keep) => keep(new Proxy({[c]: {z: 2}}, {}))],
  ['key/symbol-description', 'any', (c, keep) => keep({[Symbol(c)]: {s: 1}})],
  ['key/symbol-value', 'any', (c, keep) => keep(Symbol(c))],
  ['key/symbol-for', 'any', (c, keep) => keep({[Symbol.for(c)]: {s: 2}})],
  ['key/class-instance', 'any', (c, keep) => { const t = [1, 2, 3].map(n => new Tenant(n)); t[1][c] = {extra: 1}; keep(t); }],
  ['key/sole-instance', 'letters', (c, keep) => { const r = new Registry(); r.add(c, {item: 1}); keep(r); }],
  ['key/every-instance', 'letters', (c, keep) => { const a = [new Cell(), new Cell()]; for (const x of a) x[c] = {item: 2}; keep(a); }],
  ['key/copied-by-spread', 'any', (c, keep) => { const base = {[c]: {v: 1}}; keep({...base, added: {v: 2}}); }],
  ['key/from-entries', 'any', (c, keep) => keep(Object.fromEntries([[c, {v: 3}], ['other', {v: 4}]]))],
  ['key/element-index', 'digits9', (c, keep) => { const o = {}; o[Number(c)] = {phone: 1}; keep(o); }],
  ['key/outgoing-header', 'ident', (c, keep) => { const m = new http.OutgoingMessage(); m.setHeader(c, 'yes'); keep(m); }],
  ['key/url-parameter', 'any', (c, keep) => keep(new URLSearchParams({[c]: 'on'}))],
  ['key/regexp-group', 'letters', (c, keep) => { const r = new RegExp(`(?<${c}>a+)`); keep(r.exec('xaa')); keep(r); }],
  ['key/weakmap-symbol', 'any', (c, keep) => { const s = Symbol(c); keep(s); keep(new WeakMap([[s, {v: 5}]])); }, {when: () => Number(process.versions.node.split('.')[0]) >= 20}],
  ['key/map-of-maps', 'any', (c, keep) => keep(new Map([['group', new Map([[c, new Set(['x'])]])]]))],
];
