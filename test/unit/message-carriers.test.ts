/** Conversations with parts beside the content of a message, or inside other objects and texts. */
import { describe, expect, test } from 'vitest';
import { readMessages } from '../../electron/shared/messages/read-messages.ts';
import { DATA, lines, PNG, SEEN, user } from '../helpers/message-lines.ts';

describe('parts beside the content, or around it', () => {
  const call = { id: 'c', type: 'function', function: { name: 'lookup', arguments: '{"q":1}' } };
  const CALLED = ['assistant: call lookup {"q":1}'];
  const SAID = ['user: hi', 'assistant: yo'];
  const text = JSON.stringify;
  test.each<[string, unknown, string[]]>([
    [
      'the raw calls of LangChain',
      [{ type: 'ai', content: '', tool_calls: [], additional_kwargs: { tool_calls: [call] } }],
      CALLED,
    ],
    [
      'a call that LangChain could not read',
      [
        {
          type: 'ai',
          content: '',
          tool_calls: [],
          invalid_tool_calls: [{ name: 'lookup', args: '{"q"', id: 'c' }],
        },
      ],
      ['assistant: call lookup "{\\"q\\""'],
    ],
    [
      'tools of the AI SDK',
      [
        {
          ...{ role: 'assistant', content: 'yo' },
          toolInvocations: [
            { state: 'result', toolCallId: 'c', toolName: 'lookup', args: { q: 1 }, result: { ok: true } },
          ],
        },
      ],
      ['assistant: yo | call lookup {"q":1} | result lookup {"ok":true}'],
    ],
    ['pictures of Ollama', [{ role: 'user', content: 'see', images: [PNG] }], ['user: see | <picture png>']],
    [
      'a spoken answer',
      [{ role: 'assistant', content: null, audio: { id: 'a', transcript: 'yo', data: 'UklGRg==' } }],
      ['assistant: yo | <file data:audio/wav;base64,UklGRg==>'],
    ],
    [
      'blocks of LlamaIndex',
      [
        {
          role: 'user',
          blocks: [
            { block_type: 'text', text: 'hi' },
            { block_type: 'image', image: PNG },
          ],
        },
      ],
      ['user: hi | <picture png>'],
    ],
    [
      'items of Semantic Kernel',
      [{ role: 'user', items: [{ content_type: 'text', text: 'hi' }] }],
      ['user: hi'],
    ],
    [
      'an author, and parts of a content',
      [{ author: { role: 'user' }, content: { content_type: 'text', parts: ['hi'] } }],
      ['user: hi'],
    ],
    [
      'a speaker',
      [
        { speaker: 'user', text: 'hi' },
        { source: 'assistant', content: 'yo', type: 'TextMessage' },
      ],
      SAID,
    ],
    [
      'a history',
      { chat_history: [{ role: 'USER', message: 'hi' }], message: 'again' },
      ['user: hi', 'user: again'],
    ],
    [
      'ShareGPT',
      {
        conversations: [
          { from: 'human', value: 'hi' },
          { from: 'gpt', value: 'yo' },
        ],
      },
      SAID,
    ],
    ['instructions', { instructions: 'Be kind', input: 'hi' }, ['system: Be kind', 'user: hi']],
    [
      'a text of Gemini',
      { contents: 'hi', config: { system_instruction: 'Be kind' } },
      ['system: Be kind', 'user: hi'],
    ],
    [
      'an older completion',
      { choices: [{ text: 'yo', index: 0, finish_reason: 'stop' }] },
      ['assistant: yo'],
    ],
    [
      'arguments of a function',
      { args: [], kwargs: { messages: [{ role: 'user', content: 'hi' }] } },
      ['user: hi'],
    ],
    ['JSON in JSON', text(text({ messages: text([{ role: 'user', content: 'hi' }]) })), ['user: hi']],
    [
      'messages as JSON each',
      [text({ role: 'user', content: 'hi' }), text({ role: 'ai', content: 'yo' })],
      SAID,
    ],
    [
      'content as JSON',
      [
        {
          role: 'user',
          content: text([
            { type: 'text', text: 'hi' },
            { type: 'image_url', image_url: DATA },
          ]),
        },
      ],
      ['user: hi | <picture png>'],
    ],
    ['a number', [{ role: 'user', content: 5 }], ['user: 5']],
    [
      'thoughts as a list',
      [{ role: 'assistant', content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'so' }] }] }],
      ['assistant: (so)'],
    ],
    [
      'an empty text beside a picture, and a mark of a cache',
      user(
        { type: 'text', text: '' },
        { type: 'image_url', image_url: DATA },
        { cachePoint: { type: 'default' } },
      ),
      SEEN,
    ],
    [
      'documents of texts',
      user(
        { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'one' }] } },
        { type: 'search_result', title: 't', content: [{ type: 'text', text: 'two' }] },
        { type: 'resource', resource: { uri: 'file:///a', text: 'three' } },
      ),
      ['user: one | two | three'],
    ],
    [
      'bytes in a list',
      user({
        type: 'image',
        image: { type: 'Buffer', data: [...atob(PNG)].map((byte) => byte.charCodeAt(0)) },
      }),
      SEEN,
    ],
  ])('%s', (_, value, expected) => {
    expect(lines(readMessages(value))).toEqual(expected);
  });

  test('calls and results in further forms', () => {
    const read = (...list: unknown[]) => lines(readMessages(list));
    const origin = { tool_name: 'lookup', arguments: { q: 1 }, id: 'c' };
    expect(
      read(
        { role: 'assistant', content: [{ tool_call: origin }] },
        { role: 'tool', content: [{ tool_call_result: { result: '{"ok":true}', origin } }] },
        {
          role: 'model',
          parts: [{ executableCode: { code: '1' } }, { codeExecutionResult: { output: '1' } }],
        },
      ),
    ).toEqual([
      ...CALLED,
      'tool: result lookup {"ok":true}',
      'assistant: call code {"code":"1"} | result code "1"',
    ]);
    expect(
      read(
        { role: 'user', content: 'hi' },
        { type: 'mcp_list_tools', tools: [] },
        { type: 'mcp_call', name: 'lookup', arguments: '{"q":1}', output: 'ok' },
        { type: 'image_generation_call', result: PNG },
      ),
    ).toEqual([
      'user: hi',
      'assistant: ? {"type":"mcp_list_tools","tools":[]}',
      'assistant: call lookup {"q":1} | result lookup "ok"',
      'assistant: call image_generation {} | result image_generation "" | <picture png>',
    ]);
  });

  test('a picture in a result is a picture, and an empty result is an empty text', () => {
    const source = { type: 'base64', media_type: 'image/png', data: PNG };
    const content = [
      { type: 'text', text: 'ok' },
      { type: 'image', source },
    ];
    expect(lines(readMessages(user({ type: 'tool_result', tool_use_id: 't', content })))).toEqual([
      'user: result  "ok" | <picture png>',
    ]);
    expect(lines(readMessages(user({ type: 'tool_result', tool_use_id: 't' })))).toEqual([
      'user: result  ""',
    ]);
    expect(lines(readMessages([{ role: 'tool', content: [{ type: 'image', source }] }]))).toEqual([
      'tool: result  "" | <picture png>',
    ]);
  });
});
