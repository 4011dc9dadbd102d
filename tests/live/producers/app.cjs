// Small program with one of every interesting JavaScript value; the producers take snapshots of it.
// Runs unchanged in Node 14 and later, Deno, Bun and as a classic script in a page.
// All texts are made up. `SAMPLE-` marks values that a scrubbed file must not show.
'use strict';
(function sampleApp(root) {
  const attempt = (action) => { try { return action(); } catch { return undefined; } };

  class SampleAccount {
    #pin = ['SAMPLE', 'private', 'field'].join('-');
    constructor(owner) { this.owner = owner; this.opened = 1.5; this.parent = null; }
    get label() { return this.owner + this.#pin; }
    close() { return this.parent; }
  }
  class SampleSavings extends SampleAccount {
    static branch = ['SAMPLE', 'static', 'field'].join('-');
  }

  // Texts are joined at run time, so that they are values and not only literals of the source.
  const flat = ['SAMPLE', 'flat', 'text'].join('-');
  const long = Array.from({length: 900}, (_, i) => 'SAMPLE-long-' + i).join(' ');
  const rope = long.slice(0, 40) + flat + '/' + Math.floor(7.5) + '/' + flat.toUpperCase();
  const slice = long.slice(100, 400);
  const foreign = ['SAMPLE', 'naïve', 'tab\tnew\nline', '"quoted"', '日本'].join('-');

  const key = new SampleAccount('SAMPLE-owner-key');
  const generator = (function* sampleGenerator() { const held = ['SAMPLE', 'in', 'generator'].join('-'); yield held; yield held; })();
  generator.next();
  const counter = (function sampleScope() {
    let hits = 0;
    const captured = ['SAMPLE', 'captured', 'variable'].join('-');
    return function sampleCounter() { hits += 1; return captured + hits; };
  })();
  counter();
  // `forgotten` stays alive only because it shares a scope with `used`.
  const keeper = (function sampleKeeper() {
    const forgotten = ['SAMPLE', 'unused', 'variable'].join('-');
    const used = ['SAMPLE', 'used', 'variable'].join('-');
    (function sampleOnce() { return forgotten; })();
    return function sampleKept() { return used; };
  })();
  const dictionary = {};
  for (let i = 0; i < 1500; i++) dictionary['SAMPLE-key-' + i] = {index: i};
  const computed = {['SAMPLE' + '-computed-' + Math.floor(1.5)]: {kept: true}};
  const ring = {name: 'SAMPLE-ring'};
  ring.next = {name: 'SAMPLE-ring-end', next: ring};

  root.sample = {
    account: new SampleSavings('SAMPLE-owner'), key, flat, long, rope, slice, foreign, generator, counter, keeper, dictionary, computed, ring,
    authorization: 'Bearer ' + ['SAMPLE', 'bearer', 'value'].join('-'),
    email: ['sample.user', 'example.com'].join('@'),
    symbol: Symbol('SAMPLE-symbol'), shared: Symbol.for('SAMPLE-registered'), [Symbol('SAMPLE-symbol-key')]: {held: true},
    expression: new RegExp('SAMPLE-(pattern|regexp)+', 'gi'),
    number: 3.14159, small: 424242, big: 12345678901234567890n, flag: true, nothing: null, date: new Date(0),
    map: new Map([['SAMPLE-map-key', {value: 'SAMPLE-map-value'}], [key, 'SAMPLE-by-object']]),
    set: new Set(['SAMPLE-set-member']),
    weakMap: new WeakMap([[key, {secret: 'SAMPLE-weak-value'}]]), weakSet: new WeakSet([key]), weakRef: attempt(() => new WeakRef(key)),
    promise: new Promise(() => {}).then(function sampleReaction() { return flat; }), settled: Promise.resolve({answer: 'SAMPLE-settled'}),
    proxy: new Proxy({target: 'SAMPLE-proxied'}, {get(target, name) { return target[name]; }}),
    bound: function sampleBound(a, b) { return this.owner + a + b; }.bind(key, 'SAMPLE-bound-argument', 7),
    error: new TypeError('SAMPLE-error-message'), frozen: Object.freeze({state: 'SAMPLE-frozen'}), bare: Object.assign(Object.create(null), {state: 'SAMPLE-bare'}),
    bytes: new Uint8Array(4096), buffer: new ArrayBuffer(1024), floats: Float64Array.from({length: 100}, (_, i) => i / 3),
    holes: Object.assign([], {5000: 'SAMPLE-sparse'}), numbers: [1.5, 2.5, 3.5],
    rows: Array.from({length: 300}, (_, i) => ({role: 'user', content: ['SAMPLE', 'row', i].join('-'), tokens: i})),
    accessor: {get secret() { return flat; }, set secret(value) { this.kept = value; }},
    compiled: attempt(() => new Function('a', 'return a + 1')),
    parsed: JSON.parse(JSON.stringify({config: {apiKey: 'SAMPLE-api-key', retries: 3}})),
    timer: attempt(() => { const timer = setTimeout(function sampleTimer() { return flat; }, 1e8); if (timer.unref) timer.unref(); return timer; }),
    events: attempt(() => { const target = new EventTarget(); target.addEventListener('sample', function sampleListener() { return flat; }); return target; }),
  };
  Object.defineProperty(root.sample, 'hidden', {value: 'SAMPLE-not-enumerable', enumerable: false});
  attempt(() => eval('(function sampleEvaluated() { return 1; })()\n//# sourceURL=sample-evaluated.js'));
})(globalThis);
