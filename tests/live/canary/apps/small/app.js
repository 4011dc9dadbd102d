// A small agent service: classes, module-level settings, an event emitter, a cache and a dictionary of users.
// usage: node app.js --out FILE
'use strict';
const EventEmitter = require('events');
const v8 = require('v8');

const settings = {apiBaseUrl: 'https://api.example/v1', retryPolicy: {maxAttempts: 3, backoffMillis: 250}, featureFlags: {streamReplies: true, keepTranscripts: true}};
const toolCatalogue = [{toolName: 'search', inputSchema: {queryText: 'string'}}, {toolName: 'calendar', inputSchema: {startDate: 'string', endDate: 'string'}}];

class Transcript {
  constructor(owner) { this.owner = owner; this.messages = []; this.tokenBudget = {used: 0, allowed: 8000}; }
  addMessage(role, content) { this.messages.push({role, content, createdAt: new Date(0)}); this.tokenBudget.used += content.length; }
}

class AgentSession extends EventEmitter {
  #credential;
  constructor(userName, credential) {
    super();
    this.userName = userName;
    this.#credential = credential;
    this.transcript = new Transcript(userName);
    this.pendingCalls = new Map();
    this.on('reply', this.handleReply.bind(this));
  }
  handleReply(replyText) { this.transcript.addMessage('assistant', replyText); }
  callTool(toolName, toolInput) {
    const call = {toolName, toolInput, startedAt: new Date(0), credentialLength: this.#credential.length};
    this.pendingCalls.set(toolName + this.pendingCalls.size, call);
    return call;
  }
}

class CompletionCache {
  constructor(capacity) { this.capacity = capacity; this.entries = new Map(); this.statistics = {hits: 0, misses: 0}; }
  lookup(promptText, produce) {
    if (this.entries.has(promptText)) { this.statistics.hits++; return this.entries.get(promptText); }
    this.statistics.misses++;
    const entry = {promptText, completion: produce(), usage: {promptTokens: promptText.length}};
    this.entries.set(promptText, entry);
    return entry;
  }
}

class AgentService {
  constructor() { this.usersByName = {}; this.cache = new CompletionCache(100); this.sessions = []; this.settings = settings; this.toolCatalogue = toolCatalogue; }
  signIn(userName) {
    const session = new AgentSession(userName, ['key', userName.length * 7919].join('-'));
    this.usersByName[userName] = {session, lastSeen: new Date(0), preferences: {colourTheme: 'dark', replyLanguage: 'en'}};
    this.sessions.push(session);
    return session;
  }
}

const out = process.argv[process.argv.indexOf('--out') + 1];
if (!process.argv.includes('--out') || !out) { console.error('usage: node app.js --out FILE'); process.exit(2); }
const service = globalThis.agentService = new AgentService();
for (let i = 0; i < 40; i++) {
  const session = service.signIn(['user', String.fromCharCode(97 + (i % 26)), i].join(''));
  for (let turn = 0; turn < 5; turn++) {
    session.transcript.addMessage('user', `question ${turn} of ${session.userName}`);
    session.emit('reply', service.cache.lookup(`question ${turn}`, () => `answer ${turn}`).completion);
    session.callTool(toolCatalogue[turn % 2].toolName, {queryText: `about ${turn}`});
  }
}
v8.writeHeapSnapshot(out);
