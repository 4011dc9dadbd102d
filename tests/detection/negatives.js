// Texts of programs that look like secrets and are none: digests, ids, minified code, packed data, placeholders.
'use strict';
const crypto = require('crypto');

const EACH = 30;

/** Made-up texts by kind: [{kind, text}]. `random` gives integers below n. */
function negatives(random) {
  const pick = list => list[random(list.length)];
  const digits = (alphabet, n) => Array.from({length: n}, () => alphabet[random(alphabet.length)]).join('');
  const hex = n => digits('0123456789abcdef', n);
  const letters = n => digits('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789', n);
  const bytes = n => Buffer.from(Array.from({length: n}, () => random(256)));
  const word = () => pick('user order cache render index module parse handler session buffer stream event component router config layout theme button header footer page'.split(' '));
  const capital = w => w[0].toUpperCase() + w.slice(1);
  const kinds = {
    'commit digest': () => 'commit ' + hex(40),
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
    'integrity of a package': () => 'sha512-' + bytes(64).toString('base64'),
    'lock file': () => JSON.stringify({integrity: 'sha512-' + bytes(64).toString('base64'), resolved: `https://packages.example.test/${word()}/-/${word()}-1.2.3.tgz`}),
    'sha-256': () => hex(64),
    etag: () => `W/"${hex(32)}"`,
    'minified code': () => `function ${letters(1)}(e,t){return e.${word()}(${random(999)})||t.${word()}["${word()}-${word()}"]}var n=function(e){e.${word()}=e.${word()}&&!0};`,
    picture: () => 'data:image/png;base64,iVBORw0KGgo' + bytes(90).toString('base64'),
    'source map': () => '//# sourceMappingURL=data:application/json;base64,' + Buffer.from(JSON.stringify({version: 3, file: word() + '.js', mappings: 'AAAA,SAAS,GAAG'})).toString('base64'),
    mappings: () => Array.from({length: 6}, () => Array.from({length: 6}, () => digits('ACEGIKMOQSUWYacegikmoqsuwy', 4)).join(',')).join(';'),
    chunk: () => `static/chunks/${random(9999)}-${hex(16)}.js`,
    'class of a style sheet': () => `${capital(word())}_${word()}__${letters(5)}`,
    package: () => `@${word()}/${word()}-${word()}@${random(20)}.${random(20)}.${random(20)}`,
    'stack trace': () => `Error: ${word()} failed\n    at ${capital(word())}.${word()} (node:internal/${word()}/${word()}:${random(999)}:${random(99)})`,
    colours: () => `#${hex(6)}; background:#${hex(8)}`,
    webassembly: () => 'AGFzbQEAAAAB' + bytes(60).toString('base64'),
    'names in a row': () => `${word()}${capital(word())}${capital(word())}Factory`,
    template: () => pick(['Authorization: Bearer ${token}', 'Authorization: Bearer {{access_token}}', 'apiKey: "<YOUR_API_KEY>"', 'secret: process.env.SECRET', 'token=%s', 'password: {password}']),
    blank: () => pick(['ghp_' + 'x'.repeat(36), 'sk_live_' + '0'.repeat(24), 'AKIAIOSFODNN7EXAMPLE', 'password=********', 'api_key=your-api-key-here', 'token: REPLACE_ME', 'xoxb-xxxxxxxxxxxx-xxxxxxxxxxxx', 'glpat-' + 'X'.repeat(20), 'secret=changeme', 'DB_PASSWORD=${DB_PASSWORD}']),
    'code about tokens': () => `const ${word()}Token = this.${word()}Tokens.get(${word()}KeyName);`,
    'trace header': () => `traceparent: 00-${hex(32)}-${hex(16)}-01`,
    certificate: () => '-----BEGIN CERTIFICATE-----\nMIID' + bytes(120).toString('base64'),
    'public key': () => 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI' + bytes(32).toString('base64').slice(0, 43),
    'number with a wrong check digit': () => '99' + digits('0123456789', 14),
    time: () => `2025-0${1 + random(9)}-1${random(9)}T1${random(9)}:0${random(9)}:00.000Z`,
    version: () => `^${random(20)}.${random(30)}.${random(30)}`,
    'object id': () => hex(24),
    'embedding of a text': () => '[' + Array.from({length: 16}, () => (random(2000000) / 1e6 - 1).toFixed(6)).join(', ') + ']',
    'name with sk': () => `sk-${word()}-${word()}-${word()}`,
    path: () => `/srv/app/${word()}/${word()}/${word()}.js`,
    digest: () => crypto.createHash('sha1').update(letters(8)).digest('base64'),
    'regular expression': () => `^(?:${word()}|${word()})[A-Za-z0-9_-]{${random(9)},${10 + random(90)}}$`,
    'query of a page': () => `/${word()}?page=${random(99)}&sort=${word()}&size=${random(99)}`,
  };
  return Object.entries(kinds).flatMap(([kind, make]) => Array.from({length: EACH}, () => ({kind, text: make()})));
}

module.exports = {negatives};
