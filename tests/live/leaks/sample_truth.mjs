// What is true about the samples that leak, in the form of make_leak.js.
// usage: node sample_truth.mjs OUTDIR      writes desk-leak.truth.json and page-leak.truth.json
import fs from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const samples = fileURLToPath(new URL('../../../samples', import.meta.url));
const out = process.argv[2];
// Per sample the leaks, by the class that is nearest to the fault; what hangs on it may be named in its place.
const LEAKS = {
  'desk-leak': [
    {kind: 'answers', classes: ['CachedAnswer'], owners: ['cache'], path: ['AnswerCache', 'entries']},
    {kind: 'listeners', classes: ['ListenerContext', 'DeskRequest'], owners: ['event-listener'], path: ['TicketFeed', 'onTicket']},
    {kind: 'intervals', classes: ['PollJob'], owners: ['interval', 'timer'], path: ['Timeout']},
    {kind: 'chats', classes: ['ChatMessage'], owners: ['chat-history'], path: ['ChatHistory', 'messages']},
  ],
  'page-leak': [
    {kind: 'panels', classes: ['PanelView', 'ChatLine'], owners: ['detached-dom'], path: ['PanelHistory', 'closed']},
    {kind: 'listeners', classes: ['ResizeContext'], owners: ['event-target'], path: []},
    {kind: 'closures', classes: ['TranscriptRow'], owners: ['closure', 'list'], path: ['Exporters', 'exportRows']},
  ],
};
for (const [name, planted] of Object.entries(LEAKS)) {
  const {runtime, rounds, work, per_round: perRound, classes} = JSON.parse(fs.readFileSync(path.join(samples, name, 'truth.json'), 'utf8'));
  const leaks = planted.map((leak) => {
    const row = classes.find((entry) => entry.class === leak.classes[0]);
    const perRoundOf = Object.fromEntries(classes.filter((entry) => leak.classes.includes(entry.class)).map((entry) => [entry.class, entry.per_round]));
    return {...leak, per_round_of: perRoundOf, every: perRound / row.per_round, per_round: row.per_round, counts: row.counts};
  });
  const healthy = Object.fromEntries(classes.filter((row) => !row.leak).map((row) => [row.class, {count: row.counts.at(-1), why: row.kind}]));
  const files = Array.from({length: rounds}, (_, i) => path.join(samples, name, `snapshot-${i + 1}.heapsnapshot.zst`));
  fs.mkdirSync(out, {recursive: true});
  fs.writeFileSync(path.join(out, `${name}.truth.json`), JSON.stringify({runtime: `sample ${name}, ${runtime}`, kinds: planted.map((leak) => leak.kind), missing: [], rounds, per_round: perRound, seed: 1, files, work, leaks, fixed: [], healthy}));
}
