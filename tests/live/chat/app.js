// Talks to a fake server by the real packages of OpenAI, Anthropic and LangChain, as an agent does, and writes a heap snapshot.
// usage: [NPM_DIR=DIR] node --expose-gc app.js --seed N --out DIR
//   DIR/chat.heapsnapshot, DIR/truth.json (what was said, and where)
'use strict';
const fs = require('fs');
const path = require('path');
const v8 = require('v8');
const {spawn} = require('child_process');
const {createRequire} = require('module');
const {readArgs, usage} = require('../canary/lib/args.js');
const {PLACES, words, sentence} = require('./said.js');

let args;
try { args = readArgs(process.argv.slice(2), {seed: 'one', out: 'one'}); } catch (e) { usage('node --expose-gc app.js --seed N --out DIR', e); }
const load = createRequire(path.resolve(process.env.CHAT_DIR || __dirname, 'package.json'));
const say = place => sentence(args.seed, place);
const kept = globalThis.conversations = {};
const TOOL = {name: 'look_up_lease', description: 'Finds a lease', parameters: {type: 'object', properties: {flat: {type: 'string'}}}};

class TenancyClerk {
  constructor(client) { this.client = client; this.openConversations = []; }
  remember(conversation) { this.openConversations.push(conversation); return conversation; }
}

async function openai(baseURL) {
  const OpenAI = load('openai').default;
  const client = new OpenAI({apiKey: 'none-at-all', baseURL: baseURL + '/v1', maxRetries: 0});
  const clerk = kept.openai = new TenancyClerk(client), model = 'fake-model-7';
  const messages = [
    {role: 'system', content: say('openai-chat/system')},
    {role: 'user', content: [{type: 'text', text: say('openai-chat/user')}]},
    {role: 'assistant', content: say('openai-chat/assistant'), tool_calls: [{id: 'call_1', type: 'function', function: {name: TOOL.name, arguments: JSON.stringify({flat: say('openai-chat/tool-arguments')})}}]},
    {role: 'tool', tool_call_id: 'call_1', content: say('openai-chat/tool-result')},
  ];
  clerk.remember({messages, completion: await client.chat.completions.create({model, messages, prompt_cache_key: 'a'})});
  const asked = [{role: 'user', content: `The tenant says: ${say('openai-chat/prompt-variable')}`}];
  clerk.remember({asked, completion: await client.chat.completions.create({model, messages: asked, tools: [{type: 'function', function: TOOL}]})});
  const streamed = [{role: 'user', content: say('openai-chat/streamed-user')}];
  const chunks = [];
  let whole = '';
  for await (const chunk of await client.chat.completions.create({model, messages: streamed, stream: true})) {
    chunks.push(chunk);
    whole += chunk.choices[0].delta.content || '';
  }
  clerk.remember({streamed, chunks, message: {role: 'assistant', content: whole}});
  kept.runner = client.chat.completions.stream({model, messages: streamed});
  kept.final = await kept.runner.finalChatCompletion();

  const input = [
    {role: 'user', content: [{type: 'input_text', text: say('openai-responses/input')}]},
    {type: 'function_call', call_id: 'call_3', name: TOOL.name, arguments: JSON.stringify({flat: say('openai-responses/call-arguments')})},
    {type: 'function_call_output', call_id: 'call_3', output: say('openai-responses/call-output')},
  ];
  clerk.remember({request: {model, instructions: say('openai-responses/instructions'), input}, response: await client.responses.create({model, instructions: say('openai-responses/instructions'), input})});
  const plain = {model, input: say('openai-responses/input-text')};
  clerk.remember({plain, response: await client.responses.create(plain)});
  const events = [], asking = {model, input: say('openai-responses/streamed-input'), stream: true};
  for await (const event of await client.responses.create(asking)) events.push(event);
  clerk.remember({asking, events});

  const embedded = {model: 'fake-embedding-3', input: say('openai-embeddings/embedded'), encoding_format: 'float'};
  clerk.remember({embedded, list: await client.embeddings.create(embedded)});
  const texts = [say('openai-embeddings/embedded-list'), 'a short text'];
  const vectors = await client.embeddings.create({model: 'fake-embedding-3', input: texts, encoding_format: 'float'});
  clerk.remember(texts.map((text, i) => ({text, embedding: vectors.data[i].embedding})));
}

async function anthropic(baseURL) {
  const Anthropic = load('@anthropic-ai/sdk').default;
  const client = new Anthropic({apiKey: 'none-at-all', baseURL, maxRetries: 0});
  const clerk = kept.anthropic = new TenancyClerk(client), model = 'fake-model-8';
  const request = {model, max_tokens: 99, system: say('anthropic/system'), tools: [{name: TOOL.name, input_schema: TOOL.parameters}], messages: [
    {role: 'user', content: say('anthropic/user')},
    {role: 'assistant', content: [{type: 'text', text: say('anthropic/assistant')}, {type: 'tool_use', id: 'toolu_1', name: TOOL.name, input: {flat: say('anthropic/tool-input')}}]},
    {role: 'user', content: [{type: 'tool_result', tool_use_id: 'toolu_1', content: [{type: 'text', text: say('anthropic/tool-result')}]}, {type: 'text', text: say('anthropic/user-block')}]},
  ]};
  clerk.remember({request, message: await client.messages.create(request)});
  const streamed = {...request, messages: [{role: 'user', content: say('anthropic/streamed-user')}]}, events = [];
  for await (const event of await client.messages.create({...streamed, stream: true})) events.push(event);
  clerk.remember({streamed, events});
  kept.stream = client.messages.stream(streamed);
  kept.streamMessage = await kept.stream.finalMessage();
}

async function langchain(baseURL) {
  const {HumanMessage, SystemMessage, AIMessage, ToolMessage} = load('@langchain/core/messages');
  const {ChatPromptTemplate, PromptTemplate} = load('@langchain/core/prompts');
  const {StringOutputParser} = load('@langchain/core/output_parsers');
  const {Document} = load('@langchain/core/documents');
  const {tool} = load('@langchain/core/tools');
  const {ChatOpenAI} = load('@langchain/openai');
  const model = new ChatOpenAI({model: 'fake-chain-9', apiKey: 'none-at-all', maxRetries: 0, configuration: {baseURL: baseURL + '/v1'}});
  const clerk = kept.langchain = new TenancyClerk(model);
  const history = [new SystemMessage(say('langchain/system')), new HumanMessage(say('langchain/human')), new AIMessage(say('langchain/history'))];
  clerk.remember({history, answer: await model.invoke(history)});
  const template = ChatPromptTemplate.fromMessages([['system', 'Serve the firm of {firm}.'], ['human', `${say('langchain/template')} {question}`]]);
  clerk.remember({template, plain: PromptTemplate.fromTemplate(say('langchain/template') + ' {question}')});
  const filled = await template.invoke({firm: 'the clerk', question: say('langchain/template-variable')}), chunks = [];
  for await (const chunk of await model.pipe(new StringOutputParser()).stream(filled)) chunks.push(chunk);
  clerk.remember({filled, message: {role: 'assistant', content: chunks.join('')}});
  const pieces = [];
  for await (const piece of await model.stream(history)) pieces.push(piece);
  clerk.remember(pieces);
  const lookUp = tool(async ({flat}) => `${say('langchain/tool-result')} ${flat.length}`, {name: TOOL.name, description: 'Finds a lease', schema: {type: 'object', properties: {flat: {type: 'string'}}}});
  const called = await model.bindTools([lookUp]).invoke(history);
  const results = [];
  for (const call of called.tool_calls) results.push(new ToolMessage({content: await lookUp.invoke(call.args), tool_call_id: call.id}));
  clerk.remember({called, results});
  const documents = [new Document({pageContent: say('langchain/document'), metadata: {page: 4}}), {pageContent: say('langchain/retrieved'), metadata: {loc: {lines: 3}}, score: 0.5}];
  clerk.remember({documents});
}

async function main() {
  const server = spawn(process.execPath, [path.join(__dirname, 'server.js'), '--seed', args.seed], {stdio: ['ignore', 'pipe', 'inherit']});
  const port = await new Promise(done => server.stdout.once('data', text => done(Number(text))));
  const baseURL = `http://127.0.0.1:${port}`;
  try { for (const talk of [openai, anthropic, langchain]) await talk(baseURL); } finally { server.kill(); }
  for (let i = 0; i < 3; i++) { await new Promise(r => setImmediate(r)); globalThis.gc(); }
  fs.mkdirSync(args.out, {recursive: true});
  v8.writeHeapSnapshot(path.join(args.out, 'chat.heapsnapshot'));
  const places = PLACES.map(id => ({...words(args.seed, id), id}));
  fs.writeFileSync(path.join(args.out, 'truth.json'), JSON.stringify({seed: Number(args.seed), runtime: `node ${process.versions.node}`, file: 'chat.heapsnapshot', places}));
  console.log(`${places.length} places`);
}

main().then(() => process.exit(0), e => { console.error(e); process.exit(1); });
