// Chromium places. Loaded by the page, which plants them, and by plant_chromium.js, which only wants the list.
'use strict';
(function () {
  const TIMELINE = {files: ['canary.heaptimeline']};
  const NOTHING = () => {};  // planted by plant_chromium.js through the address of the page
  const make = (...a) => new Function(...a);
  const half = c => [c.slice(0, c.length >> 1), c.slice(c.length >> 1)].map(x => [...x].join(''));
  const filler = (n, ch) => Array.from({length: n}, (_, i) => (i % 7 ? ch : ' ')).join('');
  const element = (tag, attributes, text) => {
    const d = document.createElement(tag);
    for (const [k, v] of Object.entries(attributes)) d.setAttribute(k, v);
    if (text) d.textContent = text;
    return d;
  };
  const attach = d => { document.body.appendChild(d); return d; };
  class Panel { constructor(n) { this.n = n; this.state = {n}; } }

  const dom = [
    ['dom/attribute-attached', 'any', (c, keep) => keep(attach(element('div', {title: c})))],
    ['dom/attribute-detached', 'any', (c, keep) => keep(element('div', {title: c}))],
    ['dom/data-attached', 'any', (c, keep) => keep(attach(element('section', {'data-token': c})))],
    ['dom/data-detached', 'any', (c, keep) => keep(element('section', {'data-token': c}))],
    ['dom/attribute-name', 'tag', (c, keep) => keep(element('div', {['data-' + c]: 'x'}))],
    ['dom/id', 'any', (c, keep) => keep(attach(element('p', {id: c})))],
    ['dom/id-detached', 'any', (c, keep) => keep(element('p', {id: c}))],
    ['dom/class', 'ident', (c, keep) => keep(attach(element('p', {class: 'row ' + c})))],
    ['dom/class-detached', 'ident', (c, keep) => keep(element('p', {class: 'row ' + c}))],
    ['dom/input-value', 'any', (c, keep) => keep(attach(element('input', {type: 'password', value: c})))],
    ['dom/link-address', 'path', (c, keep) => keep(attach(element('a', {href: '/reset?code=' + c})))],
    ['dom/child-of-detached', 'any', (c, keep) => { const d = element('ul', {}); d.innerHTML = '<li data-row="' + c + '">x</li>'; keep(d); }],
    ['dom/custom-element', 'tag', (c, keep) => keep(attach(element(c, {})))],
    ['dom/custom-element-class', 'tag', (c, keep) => { class Widget extends HTMLElement {} customElements.define(c, Widget); keep(new Widget()); }],
    ['dom/text-read', 'any', (c, keep) => keep([attach(element('em', {}, c)).firstChild.nodeValue])],
    ['dom/inline-style', 'ident', (c, keep) => keep(attach(element('i', {style: '--brand: "' + c + '"'})))],
    ['dom/style-sheet-read', 'ident', (c, keep) => { const s = attach(element('style', {}, '.' + c + ' { --x: 1; }')); keep([s.sheet.cssRules[0].cssText]); }],
    ['dom/inline-handler', 'letters', (c, keep) => { const d = attach(element('button', {onclick: 'window.' + c + ' = 1'})); keep(d.onclick); }],
    ['dom/listener', 'any', (c, keep) => { const d = attach(element('b', {})); d.addEventListener('click', function onClick() { return c; }); keep(d); }],
    ['dom/custom-event', 'any', (c, keep) => keep(new CustomEvent('done', {detail: {c}}))],
    ['dom/title-read', 'any', (c, keep) => { document.title = 'Inbox of ' + c; keep([document.title]); }],
    ['dom/cookie-read', 'token', (c, keep) => { document.cookie = 'session=' + c; keep([document.cookie]); }],
    ['dom/local-storage-read', 'any', (c, keep) => { localStorage.setItem('profile', JSON.stringify({c})); keep([localStorage.getItem('profile')]); }],
    ['dom/local-storage-key', 'any', (c, keep) => { localStorage.setItem(c, '1'); keep(Object.keys(localStorage)); }],
    ['dom/url-path', 'path', NOTHING],
    ['dom/url-query', 'token', (c, keep) => keep([location.search])],
    ['dom/url-hash', 'token', (c, keep) => keep([location.hash])],
    ['dom/iframe-address', 'path', (c, keep) => new Promise(done => {
      const f = element('iframe', {src: '/frame.html?for=' + c});
      f.onload = done;
      keep(attach(f));
    })],
    ['dom/script-address', 'path', (c, keep) => new Promise(done => { const s = element('script', {src: '/home/' + c + '/side.js?key=' + c}); s.onload = done; keep(attach(s)); })],
    ['dom/console-retained', 'any', c => { console.log({signedIn: c}); }],
    ['dom/history-state', 'any', (c, keep) => { history.replaceState({draft: c}, ''); keep(history.state); }],
    ['dom/headers', 'token', (c, keep) => keep([...new Headers({'x-key': c})])],
    ['dom/form-data', 'any', (c, keep) => { const f = new FormData(); f.set('mail', c); keep([...f]); }],
    ['dom/url-object-read', 'path', (c, keep) => keep([new URL('https://host.example/' + c).href])],
    ['dom/blob-script', 'letters', (c, keep) => new Promise(done => {
      const s = element('script', {src: URL.createObjectURL(new Blob(['window.blobLab = {' + c + ': {n: 1}};']))});
      s.onload = () => done();
      keep(attach(s));
    })],
  ];
  const heap = [
    ['value/flat', 'any', (c, keep) => keep(c)],
    ['value/two-byte', 'cyrillic', (c, keep) => keep(['Имя: ', c].join(''))],
    ['value/rope-split', 'token', (c, keep) => { const [a, b] = half(c); keep(filler(20, 'a') + a + (b + filler(20, 'b'))); }, {extra: half}],
    ['value/deep-rope', 'words', (c, keep) => { let s = filler(20, 'd'); for (const ch of c) s = s + ch; keep(s); }],
    ['value/sliced-parent', 'any', (c, keep) => keep([c, filler(600, 'p')].join('').slice(100, 400))],
    ['value/char-array', 'ident', (c, keep) => keep([...c])],
    ['value/char-codes', 'ident', (c, keep) => keep([...[...c].map(x => x.charCodeAt(0)), {end: 1}])],
    ['value/halves-in-array', 'token', (c, keep) => keep(half(c)), {extra: half}],
    ['value/cut-at-1024', 'ghp', (c, keep) => keep([filler(1005, 'c'), c, filler(300, 'c')].join('')), {extra: c => [c.slice(0, 19)]}],
    ['value/base64', 'any', (c, keep) => keep(btoa('user:' + c))],
    ['value/number-as-text', 'digits15', (c, keep) => keep({account: Number(c)})],
    ['value/small-number-as-text', 'digits9', (c, keep) => keep({phone: Number(c)})],
    ['value/closure-variable', 'any', (c, keep) => keep((function outer(secret) { return function inner() { return secret; }; })(c))],
    ['value/map-key', 'any', (c, keep) => keep(new Map([[c, {n: 1}]]))],
    ['value/map-value', 'any', (c, keep) => keep(new Map([['fixed', c]]))],
    ['value/set-member', 'any', (c, keep) => keep(new Set([c]))],
    ['value/weakmap-value', 'any', (c, keep) => { const k = {w: 1}; keep(k); keep(new WeakMap([[k, {v: c}]])); }],
    ['value/weakmap-string', 'any', (c, keep) => { const k = {w: 2}; keep(k); keep(new WeakMap([[k, c]])); }],
    ['value/weakmap-dom-key', 'any', (c, keep) => { const k = element('u', {title: c}); keep(k); keep(new WeakMap([[k, {v: 1}]])); }],
    ['value/error-message', 'any', (c, keep) => keep(new Error(c))],
    ['value/promise-result', 'any', (c, keep) => keep(Promise.resolve(c))],
    ['value/timer-closure', 'any', c => { setInterval(() => c.length, 1e8); }],
    ['key/small-object', 'any', (c, keep) => keep({[c]: {n: 1}})],
    ['key/dictionary', 'any', (c, keep) => { const o = {}; for (let i = 0; i < 1500; i++) o['row' + i] = {}; o[c] = {}; keep(o); }],
    ['key/json-parsed', 'any', (c, keep) => keep(JSON.parse(JSON.stringify({accounts: {[c]: {balance: 'none'}}})))],
    ['key/number-valued', 'letters', (c, keep) => keep({[c]: 5})],
    ['key/class-instance', 'any', (c, keep) => { const t = [1, 2, 3].map(n => new Panel(n)); t[1][c] = {extra: 1}; keep(t); }],
    ['key/on-element', 'any', (c, keep) => { const d = element('s', {}); d[c] = {extra: 2}; keep(d); }],
    ['key/global', 'letters', c => { window[c] = {g: 1}; }],
    ['key/accessor', 'any', (c, keep) => keep(Object.defineProperty({}, c, {get() { return 1; }, enumerable: true}))],
    ['key/symbol-description', 'any', (c, keep) => keep({[Symbol(c)]: {s: 1}})],
    ['key/element-index', 'digits9', (c, keep) => { const o = {}; o[Number(c)] = {phone: 1}; keep(o); }],
    ['name/function-by-constructor', 'ident', (c, keep) => keep(make('return function ' + c + '() { return 1; }')())],
    ['name/class-by-constructor', 'letters', (c, keep) => { const K = make('return class ' + c + ' {}')(); keep([new K(), new K()]); }],
    ['name/variable-by-constructor', 'letters', (c, keep) => keep(make('let ' + c + ' = {v: 1}; return () => ' + c)())],
    ['regexp/source', 'letters', (c, keep) => keep(new RegExp(c))],
    ['script/source-url', 'token', (c, keep) => { const f = make('return 10;\n//# sourceURL=https://host.example/' + c + '.js?token=' + c); f(); keep(f); }],
    ['script/source-text', 'any', (c, keep) => keep(make('return ' + JSON.stringify(c)))],
  ];
  // Run between the start and the end of allocation tracking.
  const timeline = [
    ['timeline/function-name', 'letters', (c, keep) => { const f = make('n', 'function ' + c + '(n) { const a = []; for (let i = 0; i < n; i++) a.push({i}); return a; } return ' + c + '(n);'); keep(f(2000)); }, TIMELINE],
    ['timeline/script-address', 'path', (c, keep) => new Promise(done => { const s = element('script', {src: '/home/' + c + '/track.js'}); s.onload = () => { keep(window.trackedAllocate(2000)); done(); }; attach(s); }), TIMELINE],
    ['timeline/source-url', 'token', (c, keep) => {
      const f = (0, eval)('(function (n) { const a = []; for (let i = 0; i < n; i++) a.push([i]); return a; })\n//# sourceURL=https://host.example/t/' + c + '.js');
      keep([f, f(2000)]);
    }, TIMELINE],
    ['timeline/value', 'any', (c, keep) => keep([c]), TIMELINE],
  ];

  const api = {dom, heap, timeline, all: [...dom, ...heap, ...timeline]};
  if (typeof module !== 'undefined') module.exports = api; else globalThis.canaryPlaces = api;
})();
