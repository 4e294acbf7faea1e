/** Conversations in chat templates, training datasets and frameworks are read as messages. */
import { expect, test } from 'vitest';
import { readMessages } from '../../electron/shared/messages/read-messages.ts';
import { lines } from '../helpers/message-lines.ts';

const HI = ['user: hi', 'assistant: yo'];
const said = (role: string, content: string) => ({ role, content });
const call = { name: 'lookup', arguments: '{"q":1}' };

test.each<[string, unknown, string[]]>([
  [
    'ChatML',
    '<|im_start|>system\nBe kind<|im_end|>\n<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n',
    ['system: Be kind', 'user: hi'],
  ],
  ['ChatML without an end', '<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\nyo', HI],
  [
    'Llama 3',
    '<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nhi<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nyo<|eot_id|>',
    HI,
  ],
  ['TRL', { prompt: [said('user', 'hi')], completion: [said('assistant', 'yo')] }, HI],
  ['Transformers', [{ generated_text: [said('user', 'hi'), said('assistant', 'yo')] }], HI],
  ['Vertex AI', { instances: [{ messages: [{ author: 'user', content: 'hi' }] }] }, ['user: hi']],
  [
    'Semantic Kernel',
    [{ role: { label: 'user' }, items: [{ $type: 'TextContent', text: 'hi' }] }],
    ['user: hi'],
  ],
  [
    'ShareGPT with tools',
    {
      conversations: [
        { from: 'human', value: 'hi' },
        { from: 'function_call', value: JSON.stringify(call) },
        { from: 'observation', value: '{"ok":true}' },
        { from: 'gpt', value: 'yo' },
      ],
    },
    ['user: hi', 'assistant: call lookup {"q":1}', 'tool: result  {"ok":true}', 'assistant: yo'],
  ],
  [
    'AutoGen',
    [
      { type: 'ToolCallRequestEvent', source: 'assistant', content: [{ id: 'c', ...call }] },
      {
        type: 'ToolCallExecutionEvent',
        source: 'assistant',
        content: [{ call_id: 'c', name: 'lookup', content: '{"ok":true}', is_error: false }],
      },
    ],
    ['assistant: call lookup {"q":1}', 'assistant: result lookup {"ok":true}'],
  ],
  [
    'Cohere: said before a call',
    [{ role: 'assistant', tool_plan: 'I look it up', tool_calls: [{ id: 'c', function: call }] }],
    ['assistant: (I look it up) | call lookup {"q":1}'],
  ],
  [
    'Ollama: thoughts beside an empty content',
    { message: { role: 'assistant', content: '', thinking: 'hm', tool_calls: [{ function: call }] } },
    ['assistant: (hm) | call lookup {"q":1}'],
  ],
])('%s', (_name, value, expected) => {
  expect(lines(readMessages(value))).toEqual(expected);
});

test.each([
  'Write <|im_start|>user before each question.',
  '<|im_start|> is a marker used by ChatML',
  '<|im_start|>user hello<|im_end|>',
  '<|im_start|>user\nhi<|im_end|>\nAnd a text behind it',
  '<|im_start|>user\nhi<|im_end|>between<|im_start|>assistant\nyo<|im_end|>',
  '<|im_start|>user\nWhat does <|im_start|> do?<|im_end|>',
  '<|im_start|>assistant\n',
])('a text that a template does not cover stays a text: %j', (text) => {
  expect(readMessages(text)).toBeNull();
});

test('no message is lost: names and roles of a template', () => {
  expect(
    lines(
      readMessages(
        '<|im_start|>system name=example_user\nhi<|im_end|>\n<|im_start|>tool-response\n42<|im_end|>\n<|start_header_id|> user <|end_header_id|>\n\nyo<|eot_id|>',
      ),
    ),
  ).toEqual(['system: hi', 'tool: 42', 'user: yo']);
});

test('an observation is a result only in files for training', () => {
  expect(readMessages({ type: 'observation', content: 'seen' })).toBeNull();
});
