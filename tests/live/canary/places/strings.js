// Node places: string values by representation (flat, rope, slice, cut, encoded).
'use strict';
const half = c => [c.slice(0, c.length >> 1), c.slice(c.length >> 1)].map(x => [...x].join(''));
const halves = c => half(c);
const filler = (n, ch) => Array.from({length: n}, (_, i) => (i % 7 ? ch : ' ')).join('');
const escapeAll = c => [...c].map(x => '\\u' + x.charCodeAt(0).toString(16).padStart(4, '0')).join('');
const b64url = s => Buffer.from(s).toString('base64').replace(/=+$/, '').replace(/\+/g, '-').replace(/\//g, '_');
const LONG = ['canary-long.heapsnapshot'  ['value/char-codes', 'ident', (c, keep) => keep([...[...c].map(x => x.charCodeAt(0)), {end: 1}]), {when: lab => lab.numeric, files: ['canary-numeric.heapsnapshot']}],
];

module.exports = [
  ['value/flat', 'any', (c, keep) => keep(c)],
  ['value/two-byte', 'cyrillic', (c, keep) => keep(['Имя: ', c, ' 中'].join(''))],
  ['value/two-byte-mixed', 'any', (c, keep) => keep(['пароль=', c, ' \u2713'].join(''))],
  ['value/rope-split', 'token', (c, keep) => { const [a, b] = half(c); keep(filler(20, 'a') + a + (b + filler(20, 'b'))); }, {extra: halves}],
  ['value/deep-rope', 'words', (c, keep) => { let s = filler(20, 'd'); for (const ch of c) s = s + ch; keep(s); }, {extra: () => []}],
  ['value/rope-three', 'email', (c, keep) => { const [a, b] = half(c); keep({body: (filler(15, 'r') + a) + (b + filler(15, 's')) + filler(15, 't')}); }],
  ['value/sliced-parent', 'any', (c, keep) => { const p = [c, filler(600, 'p')].join(''); keep(p.slice(100, 400)); }],
  ['value/sliced-middle', 'any', (c, keep) => { const p = [filler(200, 'q'), c, filler(200, 'q')].join(''); keep(p.slice(190, 230 + c.length)); }],
  ['value/char-array', 'ident', (c, keep) => keep([...c])],
  ['value/halves-in-array', 'token', (c, keep) => keep(half(c)), {extra: halves}],
  ['value/halves-in-object', 'token', (c, keep) => { const [a, b] = half(c); keep({left: a, right: b}); }, {extra: halves}],
  ['value/json-body', 'any', (c, keep) => keep(JSON.stringify({user: {password: c}, turn: 3}))],
  ['value/json-escaped', 'any', (c, keep) => keep(JSON.stringify({body: JSON.stringify({token: c, note: '"x"\n'})}))],
  ['value/unicode-escaped', 'any', (c, keep) => keep(['{"k":"', escapeAll(c), '"}'].join(''))],
  ['value/base64', 'any', (c, keep) => keep(Buffer.from(['Basic user:', c].join('')).toString('base64'))],
  ['value/base64-url', 'any', (c, keep) => keep(b64url(['{"sub":"', c, '"}'].join('')))],
  ['value/hex', 'any', (c, keep) => keep(Buffer.from(c).toString('hex'))],
  ['value/percent', 'any', (c, keep) => keep(['https://host.example/cb?q=', encodeURIComponent(c)].join(''))],
  ['value/percent-full', 'any', (c, keep) => keep([...Buffer.from(c)].map(b => '%' + b.toString(16).padStart(2, '0')).join(''))],
  ['value/jwt', 'any', (c, keep) => keep([b64url('{"alg":"HS256"}'), b64url(JSON.stringify({email: c})), b64url('sig-not-real')].join('.'))],
  ['value/upper-case', 'letters', (c, keep) => keep([c.toUpperCase(), '!'].join(''))],
  ['value/cut-at-1024', 'ghp', (c, keep) => keep([filler(1005, 'c'), c, filler(300, 'c')].join('')), {extra: c => [c.slice(0, 19)]}],
  ['value/cut-in-letters', 'pass', (c, keep) => keep([filler(1015, 'e'), c, filler(300, 'e')].join('')), {extra: c => [c.slice(0, 9)]}],
  ['value/long-tail', 'any', (c, keep) => keep([filler(5000, 'l'), c, filler(50, 'l')].join('')), {files: LONG}],
  ['value/external', 'any', (c, keep) => keep(Buffer.from([c, filler(2000000, 'x')].join('')).toString('latin1'))],
  ['value/thin-string', 'any', (c, keep) => { const s = [c, 'tail'].join(':'); const o = {}; o[s] = 1; keep([s]); keep(o); }],
  ['value/template', 'any', (c, keep) => keep([`Dear ${c}, your account at ${'example'} is ready`])],
  ['value/date-string', 'any', (c, keep) => keep({born: ['1987-03-14', c].join(' ')})],
  ['value/string-object', 'any', (c, keep) => keep(new String(c))],
  ['value/line-of-log', 'any', (c, keep) => keep(['2024-05-05T10:00:00Z INFO login ok user=', c, ' ip=10.0.0.7'].join(''))],
  ['value/number-as-text', 'digits15', (c, keep) => keep({account: Number(c)}), {when: lab => lab.numeric, files: ['canary-numeric.heapsnapshot']}],
  ['value/small-number-as-text', 'digits9', (c, keep) => keep({phone: Number(c)}), {when: lab => lab.numeric, files: ['canary-numeric.heapsnapshot']}],
  ['value/char-codes', 'ident', (c, keep) => keep([...[...c].map(x => x.charCodeAt(0)), {end: 1}]), {when: lab => lab.numeric, files: ['canary-numeric.heapsnapshot']}],
];
