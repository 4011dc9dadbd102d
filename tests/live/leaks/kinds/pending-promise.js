// Questions to a worker that never answers: a promise for each, and its resolver in a Map. Mended: each is answered.
'use strict';
const {text} = require('../made.js');

class OpenQuestion {
  constructor(i) { this.number = i; this.prompt = text(440); }
}
const awaitingReply = new Map();

exports.leak = {classes: ['OpenQuestion'], owners: ['promise-chain', 'cache'], path: ['awaitingReply']};
exports.handle = function ask(i, mended) {
  const question = new OpenQuestion(i);
  new Promise((resolve) => { awaitingReply.set(i, resolve); }).then(function useReply(reply) { return question.prompt + reply; });
  if (mended) {
    awaitingReply.get(i)('done');
    awaitingReply.delete(i);
  }
};
