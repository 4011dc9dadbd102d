// Node places: function, class and variable names, regular expressions, scripts and paths made from data.
'use strict';
const EventEmitter = require('events');
const path = require('path');
const vm = require('vm');

const make = (...a) => new Function(...a);
const evaluate = (0, eval);
class Shown {}

module.exports = [
  ['name/function-by-constructor', 'ident', (c, keep) => keep(make(`return function ${c}() { return 1; }`)())],
  ['name/function-by-eval', 'letters', (c, keep) => { const f = evaluate(`(function ${c}() { return 2; })`); f(); keep(f); }],
  ['name/function-defined-name', 'any', (c, keep) => keep(Object.defineProperty(function () {}, 'name', {value: c}))],
  ['name/method-computed', 'letters', (c, keep) => keep(new (class Actions { [c]() { return 3; } })())],
  ['name/field-computed', 'letters', (c, keep) => keep(new (class Form { [c] = {v: 1}; })())],
  ['name/class-by-eval', 'ident', (c, keep) => keep([new (evaluate(`(class ${c} { constructor() { this.a = {}; } })`))()])],
  ['name/class-by-constructor', 'letters', (c, keep) => { const K = make(`return class ${c} {}`)(); keep([new K(), new K()]); }],
  ['name/class-via-toStringTag', 'any', (c, keep) => keep(Object.create(null, {[Symbol.toStringTag]: {value: c}}))],
  ['name/class-via-defineProperty', 'any', (c, keep) => { class Local {} Object.defineProperty(Local, 'name', {value: c}); keep([new Local()]); }],
  ['name/class-via-constructor-property', 'letters', (c, keep) => { const o = Object.create(null); o.constructor = make(`return function ${c}() {}`)(); keep(o); }],
  ['name/weakmap-key-class', 'letters', (c, keep) => { const k = new (evaluate(`(class ${c} {})`))(); keep(k); keep(new WeakMap([[k, new Shown()]])); }],
  ['name/variable-by-eval', 'ident', (c, keep) => keep(evaluate(`(function () { let ${c} = {v: 1}; return function () { return ${c}; }; })()`))],
  ['name/variable-by-direct-eval', 'letters', (c, keep) => keep(eval(`(function () { let ${c} = {v: 2}; return () => ${c}; })()`))],
  ['name/parameter-by-constructor', 'letters', (c, keep) => keep(make(c, `return () => ${c}`)({v: 3}))],
  ['name/private-by-eval', 'letters', (c, keep) => keep(new (evaluate(`(class { #${c} = {v: 4}; read() { return this.#${c}; } })`))())],
  ['name/literal-key-in-eval', 'letters', (c, keep) => { const f = evaluate(`(function () { return {${c}: {v: 5}, other: {v: 6}}; })`); keep(f()); keep(f); }],
  ['name/property-read-in-eval', 'letters', (c, keep) => { const f = make('o', `return o.${c}`); const o = {[c]: {v: 7}}; for (let i = 0; i < 200; i++) f(o); keep([f, o]); }],
  ['name/global-let-by-vm', 'letters', (c) => { vm.runInThisContext(`let ${c} = {v: 8};`); }],
  ['name/global-function-by-eval', 'letters', (c) => { evaluate(`function ${c}() { return 9; }`); }],
  ['name/event', 'any', (c, keep) => { const e = new EventEmitter(); e.on(c, function onEvent() {}); e.on('close', function onClose() {}); keep(e); }],
  ['name/process-event', 'any', (c) => { process.on(c, function onProcessEvent() {}); }],
  ['regexp/source', 'letters', (c, keep) => keep(new RegExp(c))],
  ['regexp/source-with-digits', 'token', (c, keep) => { const r = new RegExp(`^(?:${c})+$`); r.test('no'); keep(r); }],
  ['regexp/flags-built-from-data', 'user', (c, keep) => keep(new RegExp(['\\b', c, '\\b'].join(''), ['g', 'i'].join('')))],
  ['regexp/literal-in-eval', 'letters', (c, keep) => keep(make(`return /${c}[0-9]+/g`)())],
  ['script/path', 'path', (c, keep, lab) => keep(require(lab.write(path.join('home', c, 'app', 'x.js'), lab.moduleText)))],
  ['script/path-node-modules', 'path', (c, keep, lab) => keep(require(lab.write(path.join('home', c, 'project', 'node_modules', 'leftpad', 'index.js'), lab.moduleText)))],
  ['script/file-name', 'path', (c, keep, lab) => keep(require(lab.write(path.join('srv', `report-${c}.js`), lab.moduleText)))],
  ['script/error-in-path', 'path', (c, keep, lab) => keep(require(lab.write(path.join('Users', c, 'work', 'y.js'), lab.moduleText)).fail())],
  ['script/source-url', 'token', (c, keep) => { const f = evaluate(`(function () { return 10; })\n//# sourceURL=https://host.example/${c}.js?token=${c}`); f(); keep(f); }],
  ['script/source-map-url', 'token', (c, keep) => { const f = evaluate(`(function () { return 11; })\n//# sourceMappingURL=https://host.example/${c}.map`); f(); keep(f); }],
  ['script/vm-filename', 'path', (c, keep) => keep(vm.runInThisContext('(function () { return 12; })', {filename: `/home/${c}/shell.js`}))],
  ['script/vm-url', 'letters', (c, keep) => keep(new vm.Script('(function () { return 13; })', {filename: `https://user:${c}@host.example/a.js?session=${c}`}).runInThisContext())],
  ['script/source-text', 'any', (c, keep) => { const f = evaluate(`(function () { return ${JSON.stringify(c)}; })`); f(); keep(f); }],
  ['script/comment', 'any', (c, keep) => { const f = evaluate(`(function () { /* ${c} */ return 14; })`); f(); keep(f); }],
  ['script/template-raw', 'letters', (c, keep) => keep(evaluate(`(function (t) { return t; })\`${c}\\n\``))],
];
