// Writes the texts of a heap snapshot as a table: the length of each in four bytes, then its bytes.
// usage: node strings.mjs FILE.heapsnapshot OUT
import fs from 'node:fs';

const [, , file, out] = process.argv;
const {strings} = JSON.parse(fs.readFileSync(file, 'utf8'));
const parts = strings.flatMap((text) => {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return [length, bytes];
});
fs.writeFileSync(out, Buffer.concat(parts));
