// The written forms under which a secret may survive in a file.
'use strict';

const bytes = (text, enc) => Buffer.from(text, enc || 'utf8');
const swap16 = b => Buffer.from(b).swap16();
const unitHex = c => c.charCodeAt(0).toString(16).padStart(4, '0');

function utf32(text, little) {
  const points = [...text], b = Buffer.alloc(points.length * 4);
  points.forEach((p, i) => (little ? b.writeUInt32LE(p.codePointAt(0), i * 4) : b.writeUInt32BE(p.codePointAt(0), i * 4)));
  return b;
}

/** The characters of base64 that depend on nothing but the text, for each of the three alignments. */
function base64Cores(raw) {
  return [0, 1, 2].map(shift => {
    const all = Buffer.concat([Buffer.alloc(shift), raw]).toString('base64').replace(/=+$/, '');
    const start = [0, 2, 3][shift];
    const whole = Math.floor(((shift + raw.length) * 8) / 6);
    return all.slice(start, whole);
  });
}

const urlAlphabet = s => s.replace(/\+/g, '-').replace(/\//g, '_');

/** All forms of a full canary: [{form, bytes}], without repeats. */
function formsOf(text) {
  const raw = bytes(text), out = [], seen = new Set();
  const add = (form, b) => {
    const key = b.toString('latin1');
    if (b.length >= 6 && !seen.has(key)) { seen.add(key); out.push({form, bytes: b}); }
  };
  const escaped = [...Array(text.length).keys()].map(i => '\\u' + unitHex(text[i])).join('');
  const escapedWide = text.replace(/[^\x20-\x7e]/g, c => '\\u' + unitHex(c));
  const hex = raw.toString('hex');
  const percent = [...raw].map(b => '%' + b.toString(16).padStart(2, '0')).join('');
  add('utf-8', raw);
  add('utf-16le', bytes(text, 'utf16le'));
  add('utf-16be', swap16(bytes(text, 'utf16le')));
  add('utf-32le', utf32(text, true));
  add('utf-32be', utf32(text, false));
  for (const [form, e] of [['json-escaped', escaped], ['json-escaped', escapedWide]]) {
    for (const v of [e, e.replace(/\\u(....)/g, (m, h) => '\\u' + h.toUpperCase())]) {
      add(form, bytes(v));
      add(form + '-nested', bytes(v.replace(/\\/g, '\\\\')));
      add(form + '-nested', bytes(v.replace(/\\/g, '\\\\\\\\')));
    }
  }
  for (const core of base64Cores(raw)) { add('base64', bytes(core)); add('base64url', bytes(urlAlphabet(core))); }
  for (const core of base64Cores(bytes(text, 'utf16le'))) add('base64-of-utf-16', bytes(core));
  add('hex', bytes(hex));
  add('hex', bytes(hex.toUpperCase()));
  add('percent-full', bytes(percent));
  add('percent-full', bytes(percent.toUpperCase()));
  add('percent', bytes(encodeURIComponent(text)));
  add('percent', bytes(encodeURIComponent(text).replace(/%20/g, '+')));
  return out;
}

/** Forms of a piece of a canary: fewer, because short ones would match by chance. */
function formsOfPart(text) {
  return [{form: 'part utf-8', bytes: bytes(text)}, {form: 'part utf-16le', bytes: bytes(text, 'utf16le')}];
}

module.exports = {formsOf, formsOfPart};
