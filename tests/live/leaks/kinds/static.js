// A class that knows all its instances. Mended: close() takes them out.
'use strict';
const {text} = require('../made.js');

class RegisteredAgent {
  constructor(i) { this.number = i; this.memory = text(490); AgentRegistry.instances.push(this); }
  close() { AgentRegistry.instances.pop(); }
}
class AgentRegistry {
  static instances = [];
}

exports.leak = {classes: ['RegisteredAgent'], owners: ['static'], path: ['AgentRegistry', 'instances']};
exports.handle = function register(i, mended) {
  const agent = new RegisteredAgent(i);
  if (mended) agent.close();
};
