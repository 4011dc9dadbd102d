// A tool server for models that never forgets a session. Mended: forgotten when its transport closes.
'use strict';
const {text, random} = require('../made.js');

class StreamableTransport {
  constructor(sessionId) { this.sessionId = sessionId; this.onclose = null; this.onmessage = null; }
  close() { if (this.onclose) this.onclose(); }
}
class McpSession {
  constructor(transport) {
    this.transport = transport;
    this.protocolVersion = '2025-06-18';
    this.clientInfo = {name: 'client', version: '1.0.0'};
    this.toolResults = [{tool: 'search', content: text(450)}];
  }
}
class McpServer {
  constructor() { this.sessions = new Map(); this.tools = new Map([['search', {description: 'searches', inputSchema: {type: 'object'}}]]); this.capabilities = {tools: {}}; }
  connect(transport) {
    const session = new McpSession(transport);
    transport.onmessage = () => session.toolResults.length;
    this.sessions.set(transport.sessionId, session);
  }
}
const mcpServer = new McpServer();

exports.leak = {classes: ['McpSession'], owners: ['mcp-state'], path: ['mcpServer', 'sessions']};
exports.handle = function connect(i, mended) {
  const transport = new StreamableTransport(i.toString(16) + '-' + random(1e6).toString(16));
  mcpServer.connect(transport);
  if (!mended) return;
  transport.onclose = () => mcpServer.sessions.delete(transport.sessionId);
  transport.close();
};
