/** Conversations in the formats of instrumentations and providers are read as texts, images, calls and results. */
import { describe, expect, test } from 'vitest';
import { readMessages } from '../../electron/shared/messages/read-messages.ts';
import { recordMessages, spanMessages, spanTexts } from '../../electron/shared/messages/span-messages.ts';
import { DATA, lines, PNG, parts, SEEN, user } from '../helpers/message-lines.ts';

const ASKED = [
  'user: hi',
  'assistant: call lookup {"q":1}',
  'tool: result lookup {"ok":true}',
  'assistant: yo',
];
const UNNAMED = ASKED.map((line) => line.replace('result lookup', 'result '));

describe('images and files', () => {
  test.each<[string, unknown, string[]]>([
    ['OpenAI', user({ type: 'image_url', image_url: { url: DATA } }), SEEN],
    ['OpenAI, as a text', user({ type: 'image_url', image_url: DATA }), SEEN],
    ['Responses', user({ type: 'input_image', image_url: DATA }), SEEN],
    [
      'Anthropic',
      user({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }),
      SEEN,
    ],
    [
      'OpenTelemetry blob',
      parts({ type: 'blob', mime_type: 'image/png', modality: 'image', content: PNG }),
      SEEN,
    ],
    [
      'LangChain source_type',
      user({ type: 'image', source_type: 'base64', mime_type: 'image/png', data: PNG }),
      SEEN,
    ],
    ['LangChain base64', user({ type: 'image', base64: PNG, mime_type: 'image/png' }), SEEN],
    ['Gemini', parts({ inline_data: { mime_type: 'image/png', data: PNG } }), SEEN],
    ['Gemini in camel case', parts({ inlineData: { mimeType: 'image/png', data: PNG } }), SEEN],
    ['AI SDK image', user({ type: 'image', image: DATA }), SEEN],
    ['AI SDK image of base64', user({ type: 'image', image: PNG, mediaType: 'image/png' }), SEEN],
    ['AI SDK file', user({ type: 'file', data: PNG, mediaType: 'image/png' }), SEEN],
    ['AI SDK file of its window', parts({ type: 'file', url: DATA, mediaType: 'image/png' }), SEEN],
    ['Bedrock', user({ image: { format: 'png', source: { bytes: PNG } } }), SEEN],
    ['OpenInference', user({ message_content: { type: 'image', image: { image: { url: DATA } } } }), SEEN],
    [
      'Pydantic AI',
      [
        {
          kind: 'request',
          parts: [
            {
              part_kind: 'user-prompt',
              content: ['See', { kind: 'binary', data: PNG, media_type: 'image/png' }],
            },
          ],
        },
      ],
      ['user: See | <picture png>'],
    ],
    [
      'an address',
      parts({ type: 'uri', modality: 'image', uri: 'https://example.org/a.png' }),
      ['user: <picture https://example.org/a.png>'],
    ],
    [
      'an address of LangChain',
      user({ type: 'image', url: 'https://example.org/a.png' }),
      ['user: <picture https://example.org/a.png>'],
    ],
    ['an id', parts({ type: 'file', modality: 'image', file_id: 'file-1' }), ['user: <picture file-1>']],
    [
      'a file of Gemini',
      parts({ fileData: { fileUri: 'gs://b/a.pdf', mimeType: 'application/pdf' } }),
      ['user: <file gs://b/a.pdf>'],
    ],
    [
      'sound',
      user({ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }),
      ['user: <file data:audio/wav;base64,UklGRg==>'],
    ],
    [
      'a document',
      user({ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERg==' } }),
      ['user: <file data:application/pdf;base64,JVBERg==>'],
    ],
    [
      'a document of text',
      user({ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'words' } }),
      ['user: words'],
    ],
    ['a file of OpenAI', user({ type: 'file', file: { file_id: 'file-2' } }), ['user: <file file-2>']],
  ])('%s', (_, value, expected) => {
    expect(lines(readMessages(value))).toEqual(expected);
  });
});

describe('calls and results', () => {
  test.each<[string, unknown, string[]]>([
    [
      'chat completions with function_call',
      [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: null, function_call: { name: 'lookup', arguments: '{"q":1}' } },
        { role: 'function', name: 'lookup', content: '{"ok":true}' },
        { role: 'assistant', content: 'yo' },
      ],
      ASKED,
    ],
    [
      'AI SDK',
      [
        { role: 'user', content: [{ type: 'text', text: 'hi' }] },
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'lookup', input: { q: 1 } }],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: 'c1',
              toolName: 'lookup',
              output: { type: 'json', value: { ok: true } },
            },
          ],
        },
        { role: 'assistant', content: [{ type: 'text', text: 'yo' }] },
      ],
      ASKED,
    ],
    [
      'Gemini',
      {
        contents: [
          { parts: [{ text: 'hi' }] },
          { role: 'model', parts: [{ functionCall: { name: 'lookup', args: { q: 1 } } }] },
          { role: 'tool', parts: [{ function_response: { name: 'lookup', response: { ok: true } } }] },
          { role: 'model', parts: [{ text: 'yo' }] },
        ],
      },
      ASKED,
    ],
    [
      'Bedrock',
      [
        { role: 'user', content: [{ text: 'hi' }] },
        { role: 'assistant', content: [{ toolUse: { toolUseId: 'c', name: 'lookup', input: { q: 1 } } }] },
        { role: 'tool', content: [{ toolResult: { toolUseId: 'c', content: [{ json: { ok: true } }] } }] },
        { role: 'assistant', content: [{ text: 'yo' }] },
      ],
      UNNAMED,
    ],
    [
      'Pydantic AI',
      [
        { kind: 'request', parts: [{ part_kind: 'user-prompt', content: 'hi' }] },
        {
          kind: 'response',
          parts: [{ part_kind: 'tool-call', tool_name: 'lookup', args: '{"q":1}', tool_call_id: 'c' }],
        },
        {
          kind: 'request',
          parts: [{ part_kind: 'tool-return', tool_name: 'lookup', content: { ok: true } }],
        },
        { kind: 'response', parts: [{ part_kind: 'text', content: 'yo' }] },
      ],
      ASKED,
    ],
    [
      'OpenInference as a list',
      [
        { message: { role: 'user', content: 'hi' } },
        {
          'message.role': 'assistant',
          'message.tool_calls': [{ tool_call: { function: { name: 'lookup', arguments: '{"q":1}' } } }],
        },
        { message: { role: 'tool', name: 'lookup', content: '{"ok":true}' } },
        { message: { role: 'assistant', content: 'yo' } },
      ],
      ASKED,
    ],
    [
      'LangChain as it is kept',
      [
        ['human', 'hi'],
        { type: 'ai', data: { content: '', tool_calls: [{ name: 'lookup', args: { q: 1 }, id: 'c' }] } },
        { type: 'ToolMessage', name: 'lookup', content: '{"ok":true}' },
        { type: 'AIMessageChunk', content: 'yo' },
      ],
      ASKED,
    ],
    [
      'a window of the AI SDK',
      [
        { role: 'user', content: 'hi', parts: [{ type: 'text', text: 'hi' }] },
        {
          role: 'assistant',
          parts: [
            { type: 'step-start' },
            {
              type: 'tool-lookup',
              toolCallId: 'c',
              state: 'output-available',
              input: { q: 1 },
              output: { ok: true },
            },
            { type: 'reasoning', text: 'so' },
            { type: 'text', text: 'yo' },
          ],
        },
      ],
      ['user: hi', 'assistant: call lookup {"q":1} | result lookup {"ok":true} | (so) | yo'],
    ],
    [
      'Responses with other calls',
      [
        { role: 'user', content: 'hi' },
        { type: 'web_search_call', id: 'w', status: 'completed', action: { query: 'a' } },
        { type: 'custom_tool_call_output', call_id: 'c', output: 'done' },
      ],
      ['user: hi', 'assistant: call web_search {"action":{"query":"a"}}', 'tool: result  "done"'],
    ],
  ])('of %s', (_, value, expected) => {
    expect(lines(readMessages(value))).toEqual(expected);
  });

  test('answers in the forms of providers', () => {
    const text = ['assistant: yo'];
    expect(
      lines(readMessages({ candidates: [{ content: { role: 'model', parts: [{ text: 'yo' }] } }] })),
    ).toEqual(text);
    expect(
      lines(readMessages({ output: { message: { role: 'assistant', content: [{ text: 'yo' }] } } })),
    ).toEqual(text);
    expect(lines(readMessages({ generations: [[{ text: 'yo', generation_info: {} }]] }))).toEqual(text);
    expect(lines(readMessages({ role: 'assistant', content: null, refusal: 'No.' }))).toEqual([
      'assistant: No.',
    ]);
    expect(
      lines(
        readMessages([
          { role: 'assistant', content: [{ reasoningContent: { reasoningText: { text: 'so' } } }] },
        ]),
      ),
    ).toEqual(['assistant: (so)']);
  });
});

describe('a span', () => {
  const span = (attributes: object, more: object = {}) => ({
    span_type: 'llm',
    span_attributes: attributes,
    ...more,
  });

  test.each<[string, Record<string, unknown>, string[]]>([
    [
      'gen_ai.prompt.N',
      span({
        'gen_ai.completion.0.role': 'assistant',
        'gen_ai.completion.0.content': 'Hello',
        'gen_ai.prompt.1.content': 'Hi',
        'gen_ai.prompt.1.role': 'user',
        'gen_ai.prompt.0.role': 'system',
        'gen_ai.prompt.0.content': 'Be kind',
        'gen_ai.prompt.2.role': 'assistant',
        'gen_ai.prompt.2.tool_calls.0.name': 'lookup',
        'gen_ai.prompt.2.tool_calls.0.arguments': '{"q":1}',
      }),
      ['system: Be kind', 'user: Hi', 'assistant: call lookup {"q":1}', 'assistant: Hello'],
    ],
    [
      'llm.input_messages.N',
      span({
        'llm.input_messages.0.message.role': 'user',
        'llm.input_messages.0.message.contents.1.message_content.image.image.url': DATA,
        'llm.input_messages.0.message.contents.1.message_content.type': 'image',
        'llm.input_messages.0.message.contents.0.message_content.type': 'text',
        'llm.input_messages.0.message.contents.0.message_content.text': 'See',
        'llm.output_messages.0.message.role': 'assistant',
        'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': 'lookup',
        'llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments': '{"q":1}',
        'input.value': 'raw',
        'output.value': 'raw',
      }),
      ['user: See | <picture png>', 'assistant: call lookup {"q":1}'],
    ],
    [
      'ai.prompt.messages',
      span({
        'ai.prompt.messages': JSON.stringify(user({ type: 'text', text: 'Hi' })),
        'ai.response.text': 'Hello',
      }),
      ['user: Hi', 'assistant: Hello'],
    ],
    [
      'ai.prompt and calls',
      span({
        'ai.prompt': '{"system":"Be kind","prompt":"Hi"}',
        'ai.response.toolCalls':
          '[{"toolCallType":"function","toolCallId":"c","toolName":"lookup","args":{"q":1}}]',
      }),
      ['system: Be kind', 'user: Hi', 'assistant: call lookup {"q":1}'],
    ],
    [
      'events',
      span(
        {},
        {
          events: [
            { name: 'gen_ai.user.message', attributes: { content: 'Hi' } },
            { name: 'gen_ai.choice', attributes: { index: 0, message: '{"content":"Hello"}' } },
          ],
        },
      ),
      ['user: Hi', 'assistant: Hello'],
    ],
    [
      'all messages of Pydantic AI',
      span({
        'pydantic_ai.all_messages': JSON.stringify([
          { role: 'user', parts: [{ type: 'text', content: 'Hi' }] },
          { role: 'assistant', parts: [{ type: 'text', content: 'Hello' }] },
        ]),
      }),
      ['user: Hi', 'assistant: Hello'],
    ],
    [
      'messages and the same texts beside them',
      span(
        {
          'gen_ai.input.messages': JSON.stringify(parts({ type: 'text', content: 'Hi' })),
          'gen_ai.output.messages': '[{"role":"assistant","parts":[{"type":"text","content":"Hello"}]}]',
          'gen_ai.prompt.0.content': 'Hi',
        },
        { input: 'Hi', output: 'Hello' },
      ),
      ['user: Hi', 'assistant: Hello'],
    ],
    [
      'an answer that repeats what was asked',
      span(
        {},
        {
          input: { messages: user('Hi') },
          output: { messages: [...user('Hi'), { role: 'ai', content: 'Hello' }] },
        },
      ),
      ['user: Hi', 'assistant: Hello'],
    ],
    [
      'contents as JSON in gen_ai.prompt.N',
      span({
        'gen_ai.prompt.0.role': 'user',
        'gen_ai.prompt.0.content': JSON.stringify([
          { type: 'text', text: 'Hi' },
          { type: 'image_url', image_url: DATA },
        ]),
        'gen_ai.completion.0.content': 'Hello',
      }),
      ['user: Hi | <picture png>', 'assistant: Hello'],
    ],
    [
      'inputs and outputs of an entity',
      span({
        'traceloop.entity.input': '{"inputs":{"messages":[{"role":"user","content":"Hi"}]},"tags":[]}',
        'traceloop.entity.output': '{"outputs":{"messages":[{"role":"ai","content":"Hello"}]}}',
      }),
      ['user: Hi', 'assistant: Hello'],
    ],
    [
      'events as an attribute',
      span({
        events:
          '[{"event.name":"gen_ai.user.message","role":"user","content":"Hi"},{"event.name":"gen_ai.choice","message":{"role":"assistant","content":"Hello"}}]',
      }),
      ['user: Hi', 'assistant: Hello'],
    ],
    [
      'a request and its response',
      span({
        request_data: '{"messages":[{"role":"user","content":"Hi"}]}',
        response_data: '{"message":{"role":"assistant","content":"Hello"}}',
      }),
      ['user: Hi', 'assistant: Hello'],
    ],
    [
      'reasoning of the AI SDK',
      span({
        'ai.prompt.messages': '[{"role":"user","content":"Hi"}]',
        'ai.response.reasoning': 'so',
        'ai.response.text': 'Hello',
      }),
      ['user: Hi', 'assistant: (so) | Hello'],
    ],
    [
      'content blocks alone',
      span({}, { input: [{ type: 'text', text: 'Hi' }], output: '[{"type":"text","text":"Hello"}]' }),
      ['user: Hi', 'assistant: Hello'],
    ],
  ])('with %s', (_, record, expected) => {
    expect(lines(spanMessages(record))).toEqual(expected);
  });

  test('of a tool has its arguments and its result as input and output', () => {
    const tool = {
      span_type: 'tool',
      input: '',
      output: '',
      span_attributes: {
        'gen_ai.tool.name': 'lookup',
        'gen_ai.tool.call.arguments': '{"q":1}',
        'gen_ai.tool.call.result': '{"ok":true}',
      },
    };
    expect(spanMessages(tool)).toBeNull();
    expect(spanTexts(tool)).toEqual({ input: { q: 1 }, output: { ok: true } });
    expect(lines(recordMessages(tool))).toEqual(['user: ? {"q":1}', 'assistant: ? {"ok":true}']);
  });

  test('with messages alone has the last question and the answer as its line in a list', () => {
    const record = span({
      'gen_ai.input.messages': JSON.stringify([
        ...parts({ type: 'text', content: 'first' }),
        ...parts(
          { type: 'text', content: 'Wie heißt die Hauptstadt?' },
          { type: 'blob', mime_type: 'image/png', content: PNG },
        ),
      ]),
      'gen_ai.output.messages':
        '[{"role":"assistant","parts":[{"type":"tool_call","name":"f","arguments":{"a":1}}]}]',
    });
    expect(spanTexts(record)).toEqual({
      input: 'Wie heißt die Hauptstadt?\n[picture]',
      output: 'f({"a":1})',
    });
    expect(spanTexts({ input: '', span_attributes: {} })).toEqual({ input: undefined, output: undefined });
  });
});
