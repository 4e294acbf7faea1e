/** Items of a dataset as lines of files for fine-tuning and evals. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { conversationLine, spanConversation } from '../../electron/core/items/conversation.ts';
import { parseExact } from '../../electron/shared/exact-json.ts';
import type { ConversationPlan } from '../../electron/shared/export-model.ts';

const CHAT: ConversationPlan = { as: 'chat', prompt: null, answer: null };
const EVALS: ConversationPlan = { ...CHAT, as: 'evals' };

function written(item: object, plan = CHAT): unknown {
  const made = conversationLine(item, plan);
  if ('refused' in made) throw new Error(made.refused);
  return JSON.parse(made.line);
}
function rejection(item: object, plan = CHAT): string {
  const made = conversationLine(item, plan);
  return 'refused' in made ? made.refused : '';
}

describe('a question and its answer', () => {
  const item = {
    id: 'i1',
    inputs: { question: 'Where is it?', system: 'Be short.' },
    expected_outputs: { answer: 'In Rome.', note: 'x' },
    metadata: { topic: 'travel' },
    extras: {},
  };
  const asked = [
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'Where is it?' },
  ];

  test('chat: the messages end with the expected answer', () => {
    expect(written(item)).toEqual({ messages: [...asked, { role: 'assistant', content: 'In Rome.' }] });
  });

  test('evals: the question, the ideal answer, and the metadata', () => {
    expect(written(item, EVALS)).toEqual({
      ...{ id: 'i1', input: asked, ideal: 'In Rome.', metadata: { topic: 'travel' } },
    });
  });

  test('uses the only field of a bucket whatever its name, and a chosen field before all others', () => {
    const odd = { inputs: { frage: 'Wo?' }, expected_outputs: { antwort: 'In Rom.' } };
    expect(written(odd)).toEqual({
      messages: [
        { role: 'user', content: 'Wo?' },
        { role: 'assistant', content: 'In Rom.' },
      ],
    });
    const chosen = { ...CHAT, prompt: 'inputs.system', answer: 'expected_outputs.note' };
    expect(written(item, chosen)).toMatchObject({
      messages: [{}, { content: 'Be short.' }, { content: 'x' }],
    });
  });

  test('writes a value that is not text as JSON, digit for digit', () => {
    const exact = parseExact('{"inputs":{"q":{"n":9007199254740993}},"expected_outputs":{"a":1.10}}');
    const made = conversationLine(exact, CHAT);
    expect('line' in made && made.line).toContain(String.raw`{\"n\":9007199254740993}`);
  });
});

describe('messages of a conversation', () => {
  const user = { role: 'user', content: 'Where?' };
  const assistant = { role: 'assistant', content: 'In Rome.' };

  test('are kept unchanged, with tool calls, also if they are inside a text', () => {
    const calls = { role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'function' }] };
    const answered = { role: 'tool', tool_call_id: 'c1', content: '{"city":"Rome"}' };
    const messages = [user, calls, answered];
    const expected = { messages: [...messages, assistant] };
    const outputs = { expected_outputs: { answer: 'In Rome.' } };
    expect(written({ inputs: { messages, other: 1 }, ...outputs })).toEqual(expected);
    expect(written({ inputs: { prompt: JSON.stringify(messages) }, ...outputs })).toEqual(expected);
  });

  test('that end with an answer need no other; evals use it as the ideal answer', () => {
    const item = { inputs: { messages: [user, assistant] }, expected_outputs: {} };
    expect(written(item)).toEqual({ messages: [user, assistant] });
    expect(written(item, EVALS)).toEqual({ input: [user], ideal: 'In Rome.' });
  });

  const calls = [
    { id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } },
  ];
  const called = [
    { role: 'user', content: 'Weather in Paris?' },
    { role: 'assistant', content: null, tool_calls: calls },
    { role: 'tool', tool_call_id: 'c1', content: '{"t":14}' },
  ];

  test.each<[string, unknown, unknown]>([
    [
      'parts of OpenTelemetry',
      [
        { role: 'user', parts: [{ type: 'text', content: 'Weather in Paris?' }] },
        {
          role: 'assistant',
          parts: [{ type: 'tool_call', id: 'c1', name: 'get_weather', arguments: { city: 'Paris' } }],
        },
        { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: { t: 14 } }] },
      ],
      called,
    ],
    [
      'blocks of Anthropic',
      {
        messages: [
          { role: 'user', content: 'Weather in Paris?' },
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: 'c1', name: 'get_weather', input: { city: 'Paris' } }],
          },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: '{"t":14}' }] },
        ],
      },
      called,
    ],
    [
      'calls without ids',
      [
        { parts: [{ text: 'Weather in Paris?' }], role: 'user' },
        { role: 'model', parts: [{ functionCall: { name: 'get_weather', args: { city: 'Paris' } } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'get_weather', response: { t: 14 } } }] },
      ],
      JSON.parse(JSON.stringify(called).replaceAll('"c1"', '"call_1"')),
    ],
    ['LangChain', [{ type: 'human', content: 'hi' }], [{ role: 'user', content: 'hi' }]],
    [
      'pictures',
      [{ role: 'user', content: [{ type: 'image', base64: 'AAAA', mime_type: 'image/png' }, 'See'] }],
      [
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
            { type: 'text', text: 'See' },
          ],
        },
      ],
    ],
  ])('of %s become messages of a chat', (_what, messages, expected) => {
    const wanted = { messages: [...(expected as object[]), { role: 'assistant', content: 'x' }] };
    expect(written({ inputs: { messages }, expected_outputs: { answer: 'x' } })).toEqual(wanted);
    const text = { inputs: { q: JSON.stringify(messages) }, expected_outputs: { answer: 'x' } };
    expect(written(text)).toEqual(wanted);
  });

  const chat = (inputs: object, outputs: object = { answer: 'x' }): unknown[] =>
    (written({ inputs, expected_outputs: outputs }) as { messages: unknown[] }).messages;
  const expects = { role: 'assistant', content: 'x' };

  test('an empty result of a call is kept', () => {
    const [asked, calling] = called;
    const empty = { role: 'tool', tool_call_id: 'c1', content: '' };
    expect(chat({ messages: [asked, calling, empty] })).toEqual([asked, calling, empty, expects]);
    const blocks = [{ type: 'tool_result', tool_use_id: 'c1' }];
    expect(chat({ messages: [asked, calling, { role: 'user', content: blocks }] })).toEqual([
      ...[asked, calling, empty, expects],
    ]);
  });

  test('an answer after a call in the same message is placed after its result', () => {
    const tool = {
      type: 'tool-f',
      toolCallId: 'c',
      state: 'output-available',
      input: { q: 1 },
      output: 'ok',
    };
    const said = { role: 'assistant', parts: [tool, { type: 'text', text: 'yo' }] };
    expect(chat({ messages: [user, said] }, {})).toEqual([
      user,
      {
        ...{ role: 'assistant', content: null },
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"q":1}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: 'ok' },
      { role: 'assistant', content: 'yo' },
    ]);
  });

  test.each<[string, object, unknown]>([
    ['messages', { messages: [{ type: 'ai', content: 'yo' }] }, 'yo'],
    ['an answer of a provider', { answer: { candidates: [{ content: { parts: [{ text: 'yo' }] } }] } }, 'yo'],
    ['content blocks', { answer: [{ type: 'text', text: 'yo' }] }, 'yo'],
    ['other JSON', { answer: { city: 'Rome' } }, '{"city":"Rome"}'],
  ])('an expected output of %s is an answer', (_what, outputs, content) => {
    expect(chat({ messages: [user] }, outputs)).toEqual([user, { role: 'assistant', content }]);
  });

  test('an expected output may be a call; what a chat cannot contain of it is counted', () => {
    const call = { role: 'assistant', content: null, tool_calls: calls };
    expect(chat({ messages: [user] }, { message: call })).toEqual([user, call]);
    const blocks = [
      { type: 'thinking', thinking: 'so' },
      { type: 'text', text: 'yo' },
    ];
    expect(
      conversationLine({ inputs: { messages: [user] }, expected_outputs: { answer: blocks } }, CHAT),
    ).toEqual({
      line: JSON.stringify({ messages: [user, { role: 'assistant', content: 'yo' }] }),
      leftOut: { reasoning: 1 },
    });
  });

  test('a call keeps its arguments as text, and the text beside it', () => {
    const call = { id: 'c1', type: 'function', function: { name: 'get_weather', arguments: 'in Paris' } };
    const said = { role: 'assistant', content: 'I look.', tool_calls: [call] };
    const part = { type: 'tool_call', id: 'c1', name: 'get_weather', arguments: 'in Paris' };
    const parts = [{ type: 'text', content: 'I look.' }, part];
    const asked = { role: 'user', parts: [{ type: 'text', content: 'Weather in Paris?' }] };
    const response = { type: 'tool_call_response', id: 'c1', response: '{"t":14}' };
    const messages = [asked, { role: 'assistant', parts }, { role: 'tool', parts: [response] }];
    expect(chat({ messages })).toEqual([called[0], said, called[2], expects]);
  });

  test('an expected answer without a text is written as it is', () => {
    const silent = [{ role: 'assistant', content: '' }];
    expect(chat({ messages: [user] }, { messages: silent })).toEqual([
      user,
      { role: 'assistant', content: JSON.stringify(silent) },
    ]);
  });

  test('system prompts and histories beside the messages are kept', () => {
    const system = { role: 'system', content: 'Be kind' };
    expect(chat({ messages: [user], system: 'Be kind' })).toEqual([system, user, expects]);
    const own = { role: 'system', content: 'Be short' };
    expect(chat({ messages: [own, user], system: 'Be kind' })).toEqual([own, user, expects]);
    const history = [
      { type: 'human', content: 'a' },
      { type: 'ai', content: 'b' },
    ];
    expect(chat({ input: 'Where?', chat_history: history })).toEqual([
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
      user,
      expects,
    ]);
  });

  test('pictures and calls in fields of their own are not a chat without conversion', () => {
    const url = 'data:image/png;base64,iVBORw0KGgo=';
    expect(chat({ messages: [{ role: 'user', content: 'see', images: ['iVBORw0KGgo='] }] })).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'see' },
          { type: 'image_url', image_url: { url } },
        ],
      },
      expects,
    ]);
    expect(chat({ messages: [{ role: 'user', content: 5 }] })).toEqual([
      { role: 'user', content: '5' },
      expects,
    ]);
  });

  test('parts that a chat cannot contain are counted', () => {
    const messages = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hi' },
          { type: 'document', source: { type: 'url', url: 'a:b' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'so' },
          { type: 'text', text: 'yo' },
        ],
      },
    ];
    const made = conversationLine({ inputs: { messages } }, CHAT);
    expect(made).toEqual({
      line: '{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"yo"}]}',
      leftOut: { file: 1, reasoning: 1 },
    });
  });

  test.each<[string, RegExp, object]>([
    ['a role that is none', /role of each message/, { messages: [{ role: 'narrator', content: 'x' }] }],
    ['an empty content', /have content/, { messages: [{ role: 'user', content: ' ' }] }],
    [
      'a system message that comes late',
      /to be the first/,
      { messages: [user, { role: 'system', content: 'x' }] },
    ],
    ['no message of the user', /role user/, { messages: [{ role: 'system', content: 'x' }] }],
    ['an empty list', /list is empty/, { messages: [] }],
    ['a tool without its call', /tool_call_id/, { messages: [user, { role: 'tool', content: 'x' }] }],
    ['nothing to ask with', /in inputs, there is none/, {}],
    ['an empty text', /it is empty/, { question: '' }],
    ['several fields of no known name', /choose which/, { a: 'x', b: 'y' }],
  ])('%s is rejected with its reason', (_what, reason, inputs) => {
    expect(rejection({ inputs, expected_outputs: { answer: 'x' } })).toMatch(reason);
  });

  test('a missing answer, or one other than the last message, is rejected with its reason', () => {
    expect(rejection({ inputs: { question: 'x' }, expected_outputs: {} })).toMatch(
      /answer in expected_outputs/,
    );
    const two = { inputs: { messages: [user, assistant] }, expected_outputs: { answer: 'In Pisa.' } };
    expect(rejection(two)).toMatch(/differs/);
  });
});

describe('an answer that repeats the instructions of its request', () => {
  const response = {
    ...{ object: 'response', instructions: 'Be brief.' },
    output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'A' }] }],
  };
  const line = (messages: object[]) =>
    conversationLine({ inputs: { messages }, expected_outputs: { response } }, CHAT);
  const user = { role: 'user', content: 'Q' };
  const answer = { role: 'assistant', content: 'A' };

  test('gives them to messages without any', () => {
    const messages = [{ role: 'system', content: 'Be brief.' }, user, answer];
    expect(line([user])).toEqual({ line: JSON.stringify({ messages }), leftOut: {} });
  });

  test('leaves them out beside others, and counts that', () => {
    const own = { role: 'system', content: 'Be long.' };
    expect(line([own, user])).toEqual({
      line: JSON.stringify({ messages: [own, user, answer] }),
      leftOut: { rules: 1 },
    });
    const same = { role: 'system', content: 'Be brief.' };
    expect(line([same, user])).toMatchObject({ leftOut: {} });
  });
});

test('any item becomes one line that ends with an answer, or is rejected with a reason', () => {
  fc.assert(
    fc.property(
      fc.record({ inputs: fc.object(), expected_outputs: fc.object(), metadata: fc.anything() }),
      fc.constantFrom<ConversationPlan>(CHAT, EVALS),
      (item, plan) => {
        const made = conversationLine(JSON.parse(JSON.stringify(item)), plan);
        if ('refused' in made) {
          expect(made.refused).toMatch(/\.$/);
          return;
        }
        expect(made.line).not.toContain('\n');
        const { messages, ideal } = JSON.parse(made.line);
        expect(plan.as === 'chat' ? messages.at(-1).content : ideal).toMatch(/./s);
      },
    ),
  );
});

describe('a conversation in spans', () => {
  const text = (role: string, said: string) => ({ role, parts: [{ kind: 'text' as const, text: said }] });
  const lines = (...said: Parameters<typeof spanConversation>[1]) => spanConversation('t1', said, CHAT);

  test('is one line, and parts that it cannot contain are counted', () => {
    const made = lines({ role: 'context', parts: [] }, text('user', 'Where is it?'), {
      role: 'assistant',
      parts: [
        { kind: 'reasoning', text: 'Hm.' },
        { kind: 'text', text: 'In Rome.' },
      ],
    });
    if ('refused' in made) throw new Error(made.refused);
    expect(JSON.parse(made.line)).toEqual({
      messages: [
        { role: 'user', content: 'Where is it?' },
        { role: 'assistant', content: 'In Rome.' },
      ],
    });
    expect(made.leftOut).toEqual({ context: 1, reasoning: 1 });
  });

  test('as evals it has the id of its trace', () => {
    const made = spanConversation('t1', [text('user', 'a'), text('assistant', 'b')], EVALS);
    expect('line' in made && JSON.parse(made.line)).toMatchObject({ id: 't1', ideal: 'b' });
  });

  test.each<[string, Parameters<typeof spanConversation>[1], RegExp]>([
    ['no message', [], /span with an input or an output/],
    ['an unknown role', [text('narrator', 'a'), text('assistant', 'b')], /role/],
    ['no answer', [text('user', 'a')], /answer at the end/],
    ['no question', [text('system', 'a'), text('assistant', 'b')], /message of the role user/],
  ])('with %s is refused with the reason', (_name, said, reason) => {
    const made = lines(...said);
    expect('refused' in made && made.refused).toMatch(reason);
  });

  test('a result with the id of no open call keeps its id', () => {
    const made = lines(
      text('user', 'a'),
      { role: 'assistant', parts: [{ kind: 'call', name: 'find', value: { q: 1 }, id: 'c1' }] },
      { role: 'tool', parts: [{ kind: 'result', name: 'find', value: 'x', id: 'c9' }] },
      text('assistant', 'b'),
    );
    expect('line' in made ? made.line : made.refused).toContain('c9');
  });
});

test('an empty list of messages, and an empty list as a question, are named', () => {
  const expected_outputs = { answer: 'yes' };
  expect(rejection({ inputs: { messages: [] }, expected_outputs })).toBe(
    'Expected messages, the list is empty.',
  );
  const asked = { ...CHAT, prompt: 'inputs.question' };
  expect(rejection({ inputs: { question: '  ' }, expected_outputs }, asked)).toBe(
    'Expected a text to ask with in inputs.question, it is empty.',
  );
});

test('writes nothing of an answer that is an empty list', () => {
  expect(rejection({ inputs: { question: 'Where?' }, expected_outputs: { answer: [] } })).toBe(
    'Expected an answer in expected_outputs, there is none.',
  );
});
