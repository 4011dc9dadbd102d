// One of every kind of JavaScript value, for the vocabulary: makes the engine's own edge and node names appear.
// Runs as a classic script in every bare runtime. Own identifiers start with `hsOwn`.
'use strict';
globalThis.hsOwnValues = (() => {
  const hsOwnTry = (hsOwnAction) => { try { return hsOwnAction(); } catch { return undefined; } };
  const hsOwnKey = {};
  const hsOwnLong = 'x'.repeat(3000);
  const hsOwnGenerator = (function* () { yield hsOwnKey; })();
  hsOwnGenerator.next();
  const hsOwnAsync = (async function* () { await new Promise(() => {}); yield hsOwnKey; })();
  hsOwnTry(() => hsOwnAsync.next());
  const hsOwnExpression = hsOwnTry(() => new RegExp('(hsOwnA)(?<hsOwnB>b)?', 'dgy')) ?? /(hsOwnA)/gy;
  hsOwnTry(() => hsOwnExpression.exec('hsOwnAb'));
  const hsOwnSparse = [];
  hsOwnSparse[100000] = hsOwnKey;
  return [
    hsOwnGenerator, hsOwnAsync, hsOwnExpression, hsOwnSparse, hsOwnLong, hsOwnLong + hsOwnKey, hsOwnLong.slice(7, 900),
    (async () => { await new Promise(() => {}); return hsOwnKey; })(),
    Promise.all([new Promise(() => {})]), Promise.resolve(hsOwnKey), new Promise(() => {}).then(() => {}).finally(() => {}),
    new Proxy(hsOwnKey, {}), hsOwnTry(() => Proxy.revocable({}, {})),
    new WeakMap([[hsOwnKey, {}]]), new WeakSet([hsOwnKey]), hsOwnTry(() => new WeakRef(hsOwnKey)),
    hsOwnTry(() => { const hsOwnRegistry = new FinalizationRegistry(() => {}); hsOwnRegistry.register(hsOwnKey, 1, hsOwnKey); return hsOwnRegistry; }),
    new Map([[hsOwnKey, 1.5]]).entries(), new Set([hsOwnKey]).values(), [hsOwnKey].entries(), 'ab'[Symbol.iterator](), hsOwnTry(() => 'ab'.matchAll(/hsOwn/g)),
    Symbol('x'), Symbol.for('y'), 10n ** 40n, 1.5, new Date(0), Object(1), Object('x'), Object(Symbol.iterator), Object(10n), Object(true),
    new ArrayBuffer(64), new DataView(new ArrayBuffer(64)), new Float64Array(8), new Uint8Array(2000), hsOwnTry(() => new SharedArrayBuffer(8)),
    hsOwnTry(() => new ArrayBuffer(8, {maxByteLength: 64})),
    new Error('x', {cause: new TypeError('y')}), hsOwnTry(() => new AggregateError([new Error('z')])),
    (function () { return arguments; })(hsOwnKey, 1), (function (hsOwnA) { 'use strict'; return [arguments, () => hsOwnA]; })(hsOwnKey),
    function () {}.bind(hsOwnKey, hsOwnKey, 1, 2, 3, 4, 5, 6, 7), (() => hsOwnKey).bind(null),
    Object.freeze([1.5, 2.5]), Object.seal({}), Object.preventExtensions(Object.create(null)), ((hsOwnStrings) => hsOwnStrings)`x${1}y`,
    class { static #hsOwnA = hsOwnKey; #hsOwnB = 1; get [0]() { return this.#hsOwnB; } static [1]() { return this.#hsOwnA; } },
    hsOwnTry(() => new Intl.NumberFormat('en')), hsOwnTry(() => new Intl.DateTimeFormat('en')), hsOwnTry(() => new Intl.Collator('en')),
    hsOwnTry(() => new Intl.PluralRules('en')), hsOwnTry(() => new Intl.Segmenter('en').segment('a b')[Symbol.iterator]()),
    hsOwnTry(() => new Intl.RelativeTimeFormat('en')), hsOwnTry(() => new Intl.ListFormat('en')), hsOwnTry(() => new Intl.DisplayNames('en', {type: 'region'})),
    hsOwnTry(() => new Intl.Locale('en')), hsOwnTry(() => Temporal.Now.zonedDateTimeISO('UTC')), hsOwnTry(() => Temporal.Duration.from('P1D')),
    hsOwnTry(() => new WebAssembly.Memory({initial: 1})), hsOwnTry(() => new WebAssembly.Table({initial: 2, element: 'anyfunc'})),
    hsOwnTry(() => new WebAssembly.Global({value: 'i32', mutable: true}, 1)), hsOwnTry(() => new WebAssembly.Tag({parameters: ['i32']})),
    hsOwnTry(() => new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 97, 0, 0, 10, 4, 1, 2, 0, 11])))),
    hsOwnTry(() => new DisposableStack()), hsOwnTry(() => [1, 2].values().map((hsOwnItem) => hsOwnItem)), hsOwnTry(() => new Function('return 1')),
    hsOwnTry(() => (0, eval)('(function () { return 1; })')),
  ];
})();
