// A conversation that only grows. Mended: a window over the last messages.
'use strict';
const {text} = require('../made.js');

class ChatTurn {
  constructor(role, content) { this.role = role; this.content = content; this.tokens = content.length / 4 + 0.5; }
}
class Conversation {
  constructor() { this.messages = []; this.model = 'small'; }
  say(role, content) { this.messages.push(new ChatTurn(role, content)); }
}
const conversation = new Conversation();

exports.leak = {classes: ['ChatTurn'], owners: ['chat-history'], path: ['conversation', 'messages']};
exports.handle = function turn(i, mended) {
  conversation.say(i & 1 ? 'assistant' : 'user', text(520));
  if (mended && conversation.messages.length > 20) conversation.messages.splice(0, 1);
};
