// What is said in the conversations of the chat apps: made up from a seed and the name of a place, the same on both sides.
'use strict';
const {derive} = require('../canary/lib/canary.js');

/** Everything that must go, by where it stands. */
const PLACES = [
  ...['system', 'user', 'assistant', 'tool-arguments', 'tool-result', 'completion', 'completion-reasoning', 'completion-arguments',
    'streamed-user', 'streamed', 'streamed-reasoning', 'streamed-arguments', 'prompt-variable'].map(p => 'openai-chat/' + p),
  ...['instructions', 'input', 'input-text', 'call-arguments', 'call-output', 'output', 'output-arguments', 'reasoning',
    'streamed-input', 'streamed', 'streamed-arguments'].map(p => 'openai-responses/' + p),
  ...['embedded', 'embedded-list'].map(p => 'openai-embeddings/' + p),
  ...['system', 'user', 'user-block', 'assistant', 'tool-input', 'tool-result', 'completion', 'thinking', 'completion-input',
    'streamed-user', 'streamed', 'streamed-thinking', 'streamed-input'].map(p => 'anthropic/' + p),
  ...['system', 'human', 'template', 'template-variable', 'completion', 'streamed', 'tool-arguments', 'tool-result', 'history',
    'document', 'retrieved'].map(p => 'langchain/' + p),
];

/** The words of one place: three that nobody else says. */
const words = (seed, place) => derive(seed, place, 'words', 0);
/** A sentence with them. */
const sentence = (seed, place) => `Please think of ${words(seed, place).canary} before noon.`;

module.exports = {PLACES, words, sentence};
