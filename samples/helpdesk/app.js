// A small support desk with an assistant, as a process would hold it: sessions, chat histories, retrieved documents,
// a response cache that only grows. Writes a heap snapshot of itself and the list of the fakes that it planted.
// usage: node app.js SNAPSHOT TRUTH
// Everything is made up. Secrets are put together at run time, so that no source holds one.
'use strict';
const {EventEmitter} = require('node:events');
const fs = require('node:fs');
const v8 = require('node:v8');

const [snapshotFile, truthFile] = process.argv.slice(2);
const planted = [];
let state = 20261118;
const random = (n) => { state = (Math.imul(state, 1103515245) + 12345) >>> 0; return (state >>> 8) % n; };
const letters = (n) => Array.from({length: n}, () => String.fromCharCode(97 + random(26))).join('');
// Joined, so that the snapshot shows the text in one piece.
const fake = (place, ...parts) => { const text = parts.join(''); planted.push({place, text}); return text; };

class ChatSession {
  constructor(user) {
    this.user = user;
    this.messages = [];
    this.accessToken = fake('session/access-token', 'ghp_', letters(36));
    this.cookie = fake('session/cookie', 'sid=', letters(24));
  }
  say(role, content) {
    this.messages.push({role, content});
    return this;
  }
}

class AnswerCache {
  constructor() {
    this.entries = new Map();
    this.bySubject = {};
  }
  remember(question, answer) {
    this.entries.set(question, {answer, askedTimes: 1});
    this.bySubject[question.split(' ').pop()] = answer;
  }
}

class Desk extends EventEmitter {
  constructor() {
    super();
    this.setMaxListeners(0);
    this.sessions = {};
    this.cache = new AnswerCache();
    this.databaseUrl = fake('desk/database-url', 'postgres://desk:', letters(14), '@db.example:5432/desk');
  }
  open(name) {
    const session = this.sessions[name] = new ChatSession({name, email: fake('user/email', name, '@customer.example')});
    this.on('shutdown', () => session.messages.splice(0));
    return session;
  }
}

const desk = globalThis.desk = new Desk();
for (let i = 0; i < 300; i++) {
  const name = fake('user/name-as-key', 'u', letters(9));
  const session = desk.open(name);
  session.say('system', fake('prompt/system', 'You answer for the customer with the number ', letters(12)));
  session.say('user', fake('prompt/user', 'My parcel with the code ', letters(16), ' did not arrive'));
  session.say('assistant', ['We will look for it,', name].join(' '));
  desk.cache.remember(fake('cache/question', 'Where is parcel ', letters(16)), {text: fake('cache/answer', 'It is at ', letters(18)), score: i / 300});
}
desk.documents = Array.from({length: 40}, (_, i) => ({title: fake('document/title', 'Contract ', letters(10)), page: i, text: fake('document/text', Array.from({length: 60}, () => letters(7)).join(' '))}));
desk.pattern = new RegExp(fake('regexp/source', 'order-', letters(10)) + '[0-9]+');
desk.rope = 'Bearer ' + fake('rope/leaf', letters(40)) + '/' + letters(20);
v8.writeHeapSnapshot(snapshotFile);
fs.writeFileSync(truthFile, JSON.stringify(planted, null, 0) + '\n');
