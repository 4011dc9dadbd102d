// Names of roles, models and program parts that must stay where conversations go.
// usage: node kept.js BEFORE.heapsnapshot AFTER.heapsnapshot     exit 1 if one is lost
'use strict';
const fs = require('fs');

const NAMES = ['user', 'assistant', 'system', 'tool', 'fake-model-7', 'fake-model-8', 'fake-chain-9', 'look_up_lease', 'TenancyClerk',
  'openConversations', 'HumanMessage', 'AIMessage', 'SystemMessage', 'ToolMessage', 'ChatOpenAI', 'finalMessage', 'finalChatCompletion', 'text_delta',
  'tool_calls', 'output_text', 'input_text', 'function_call', 'message', 'stop', 'completed'];
const [before, after] = process.argv.slice(2).map(file => new Set(JSON.parse(fs.readFileSync(file, 'utf8')).strings));
const absent = NAMES.filter(name => !before.has(name)), lost = NAMES.filter(name => before.has(name) && !after.has(name));
if (absent.length) console.log(`not in the first file: ${absent.join(', ')}`);
console.log(`names of roles, models and parts of the program: ${NAMES.length - absent.length - lost.length} of ${NAMES.length} kept${lost.length ? `; lost: ${lost.join(', ')}` : ''}`);
process.exit(absent.length || lost.length ? 1 : 0);
