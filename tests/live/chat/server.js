// A server that answers like those of model providers, with made-up sentences. Runs as a process of its own, so that nothing
// it says stands in the heap of the app but what the app was told.
// usage: node server.js --seed N     prints the port
'use strict';
const http = require('http');
const {readArgs} = require('../canary/lib/args.js');
const {sentence} = require('./said.js');

const {seed} = readArgs(process.argv.slice(2), {seed: 'one'});
const say = place => sentence(seed, place);
const call = (id, place) => ({id, type: 'function', function: {name: 'look_up_lease', arguments: JSON.stringify({flat: say(place), floor: 3})}});
/** A sentence in the pieces in which it is streamed. */
const pieces = text => text.match(/\S+\s*/g);

function chat(body) {
  const base = {id: 'chatcmpl-1', object: 'chat.completion', created: 1700000000, model: body.model};
  const who = body.model.includes('chain') ? 'langchain' : 'openai-chat';
  const asks = body.tools && !body.messages.some(m => m.role === 'tool');
  const message = asks ? {role: 'assistant', content: null, tool_calls: [call('call_7', who === 'langchain' ? 'langchain/tool-arguments' : 'openai-chat/completion-arguments')]}
    : {role: 'assistant', content: say(who + '/completion'), refusal: null, ...(who === 'langchain' ? {} : {reasoning_content: say('openai-chat/completion-reasoning')})};
  return {...base, choices: [{index: 0, message, logprobs: null, finish_reason: asks ? 'tool_calls' : 'stop'}], usage: {prompt_tokens: 9, completion_tokens: 12, total_tokens: 21}};
}

function* chatStream(body) {
  const who = body.model.includes('chain') ? 'langchain' : 'openai-chat';
  const chunk = delta => ({id: 'chatcmpl-2', object: 'chat.completion.chunk', created: 1700000000, model: body.model, choices: [{index: 0, delta, finish_reason: null}]});
  yield chunk({role: 'assistant', content: ''});
  if (who === 'openai-chat') {
    for (const piece of pieces(say('openai-chat/streamed-reasoning'))) yield chunk({reasoning_content: piece});
    const whole = call('call_8', 'openai-chat/streamed-arguments');
    yield chunk({tool_calls: [{index: 0, ...whole, function: {...whole.function, arguments: ''}}]});
    for (const piece of pieces(whole.function.arguments)) yield chunk({tool_calls: [{index: 0, function: {arguments: piece}}]});
  }
  for (const piece of pieces(say(who + '/streamed'))) yield chunk({content: piece});
  yield {...chunk({}), choices: [{index: 0, delta: {}, finish_reason: 'stop'}]};
}

const response = (model, output, status) => ({id: 'resp_1', object: 'response', created_at: 1700000000, status, model, output, parallel_tool_calls: true, tools: [], usage: {input_tokens: 3, output_tokens: 5, total_tokens: 8}});
function responses(body) {
  const text = {type: 'output_text', text: say('openai-responses/output'), annotations: []};
  return response(body.model, [
    {type: 'reasoning', id: 'rs_1', summary: [{type: 'summary_text', text: say('openai-responses/reasoning')}]},
    {type: 'function_call', id: 'fc_1', call_id: 'call_9', name: 'look_up_lease', arguments: JSON.stringify({flat: say('openai-responses/output-arguments')}), status: 'completed'},
    {type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [text]},
  ], 'completed');
}

function* responsesStream(body) {
  let number = 0;
  const event = (type, rest) => ({type, sequence_number: number++, ...rest});
  yield event('response.created', {response: response(body.model, [], 'in_progress')});
  const message = {type: 'message', id: 'msg_2', role: 'assistant', status: 'in_progress', content: []};
  yield event('response.output_item.added', {output_index: 0, item: message});
  yield event('response.content_part.added', {item_id: 'msg_2', output_index: 0, content_index: 0, part: {type: 'output_text', text: '', annotations: []}});
  const text = say('openai-responses/streamed');
  for (const delta of pieces(text)) yield event('response.output_text.delta', {item_id: 'msg_2', output_index: 0, content_index: 0, delta});
  yield event('response.output_text.done', {item_id: 'msg_2', output_index: 0, content_index: 0, text});
  const done = {...message, status: 'completed', content: [{type: 'output_text', text, annotations: []}]};
  yield event('response.output_item.done', {output_index: 0, item: done});
  const item = {type: 'function_call', id: 'fc_2', call_id: 'call_10', name: 'look_up_lease', arguments: '', status: 'in_progress'};
  yield event('response.output_item.added', {output_index: 1, item});
  const given = JSON.stringify({flat: say('openai-responses/streamed-arguments')});
  for (const delta of pieces(given)) yield event('response.function_call_arguments.delta', {item_id: 'fc_2', output_index: 1, delta});
  yield event('response.function_call_arguments.done', {item_id: 'fc_2', output_index: 1, arguments: given});
  yield event('response.completed', {response: response(body.model, [done, {...item, arguments: given}], 'completed')});
}

const answer = (model, content) => ({id: 'msg_3', type: 'message', role: 'assistant', model, content, stop_reason: 'end_turn', stop_sequence: null, usage: {input_tokens: 4, output_tokens: 6}});
function messages(body) {
  return answer(body.model, [
    {type: 'thinking', thinking: say('anthropic/thinking'), signature: 'EqQBCg'},
    {type: 'text', text: say('anthropic/completion')},
    {type: 'tool_use', id: 'toolu_2', name: 'look_up_lease', input: {flat: say('anthropic/completion-input'), floor: 3}},
  ]);
}

function* messagesStream(body) {
  yield {type: 'message_start', message: {...answer(body.model, []), stop_reason: null}};
  const blocks = [
    [{type: 'thinking', thinking: '', signature: ''}, 'thinking_delta', 'thinking', say('anthropic/streamed-thinking')],
    [{type: 'text', text: ''}, 'text_delta', 'text', say('anthropic/streamed')],
    [{type: 'tool_use', id: 'toolu_3', name: 'look_up_lease', input: {}}, 'input_json_delta', 'partial_json', JSON.stringify({flat: say('anthropic/streamed-input')})],
  ];
  for (const [index, [content_block, type, key, text]] of blocks.entries()) {
    yield {type: 'content_block_start', index, content_block};
    for (const piece of pieces(text)) yield {type: 'content_block_delta', index, delta: {type, [key]: piece}};
    yield {type: 'content_block_stop', index};
  }
  yield {type: 'message_delta', delta: {stop_reason: 'end_turn', stop_sequence: null}, usage: {output_tokens: 6}};
  yield {type: 'message_stop'};
}

const embeddings = body => ({object: 'list', model: body.model, usage: {prompt_tokens: 1, total_tokens: 1}, data: [].concat(body.input).map((_, index) => ({object: 'embedding', index, embedding: Array.from({length: 16}, (__, i) => (i - index) / 16)}))});
const ROUTES = {'/v1/chat/completions': [chat, chatStream], '/v1/responses': [responses, responsesStream], '/v1/messages': [messages, messagesStream], '/v1/embeddings': [embeddings]};

http.createServer((request, reply) => {
  const parts = [];
  request.on('data', part => parts.push(part)).on('end', () => {
    const [whole, stream] = ROUTES[request.url.split('?')[0]] || [];
    if (!whole) { reply.writeHead(404).end(request.url); return; }
    const body = JSON.parse(Buffer.concat(parts));
    if (!body.stream) { reply.writeHead(200, {'content-type': 'application/json'}).end(JSON.stringify(whole(body))); return; }
    reply.writeHead(200, {'content-type': 'text/event-stream'});
    for (const event of stream(body)) reply.write(`${event.type ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`);
    reply.end(request.url.includes('chat') ? 'data: [DONE]\n\n' : '');
  });
}).listen(0, '127.0.0.1', function ready() { console.log(this.address().port); });
