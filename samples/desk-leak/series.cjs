// Memory of the support desk over many rounds, before and after the leaks are fixed.
//
// usage: node --expose-gc series.cjs leaking|fixed ROUNDS >series.csv
//   Runs app.js without its own main(); garbage is collected before each sample.
'use strict';
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const Module = require('node:module');

const [kind, rounds] = process.argv.slice(2);
const place = fs.mkdtempSync(path.join(os.tmpdir(), 'desk-'));
process.argv[2] = place;
const file = path.join(__dirname, 'app.js');
const source = fs.readFileSync(file, 'utf8').replace(/\nmain\(\);\s*$/, '\nmodule.exports = {AnswerCache, ChatHistory, TicketFeed, PollJob, Desk, workRound};\n');
const app = new Module(file, module);
app.filename = file;
app._compile(source, file);
const {AnswerCache, ChatHistory, TicketFeed, PollJob, Desk, workRound} = app.exports;

if (kind === 'fixed') {
  const {answer} = AnswerCache.prototype;
  AnswerCache.prototype.answer = function limited(...args) {
    const found = answer.apply(this, args);
    if (this.entries.size > 200) this.entries.delete(this.entries.keys().next().value);
    return found;
  };
  const {say} = ChatHistory.prototype;
  ChatHistory.prototype.say = function windowed(...args) {
    say.apply(this, args);
    if (this.messages.length > 40) this.messages.shift();
  };
  TicketFeed.prototype.watch = function once() { this.once('ticket', () => {}); };
  PollJob.prototype.start = function cleared() { clearInterval(setInterval(() => this.poll(), 3600000)); return this.poll(); };
}

(async () => {
  const desk = new Desk();
  console.log('time_s,rss,heapTotal,heapUsed,external,requests,after_gc');
  const start = process.hrtime.bigint();
  for (let round = 0; round < Number(rounds); round++) {
    await workRound(desk);
    await new Promise((resume) => setTimeout(resume, 100));
    globalThis.gc();
    const {rss, heapTotal, heapUsed, external} = process.memoryUsage();
    const seconds = Number(process.hrtime.bigint() - start) / 1e9;
    console.log([seconds.toFixed(3), rss, heapTotal, heapUsed, external, desk.requests, 1].join());
  }
  fs.rmSync(place, {recursive: true});
  process.exit(0);
})();
