/** Conversations in events of spans, threads of assistants and logs of calls are read in order. */
import { describe, expect, test } from 'vitest';
import { readMessages } from '../../electron/shared/messages/read-messages.ts';
import { recordMessages } from '../../electron/shared/messages/span-messages.ts';
import { lines } from '../helpers/message-lines.ts';

describe('events of OpenTelemetry', () => {
  const text = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] });
  const sent = JSON.stringify([text('user', 'Q')]);
  const answered = JSON.stringify([text('assistant', 'A')]);
  const system = JSON.stringify([{ type: 'text', content: 'S' }]);
  const choice = { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'A' } };
  const event = (name: string, attributes: object) => ({ name: `gen_ai.${name}`, attributes });
  test.each<[string, object[]]>([
    [
      'details of an operation',
      [
        event('client.inference.operation.details', {
          ...{ 'gen_ai.system_instructions': system, 'gen_ai.input.messages': sent },
          'gen_ai.output.messages': answered,
        }),
      ],
    ],
    [
      'a body as JSON',
      [
        event('system.message', { 'event.body': '{"content":"S"}' }),
        event('user.message', { 'event.body': '{"content":"Q"}' }),
        event('choice', { 'event.body': JSON.stringify(choice) }),
      ],
    ],
    [
      'a body as an object',
      [
        event('system.message', { body: { content: 'S' } }),
        event('user.message', { body: { content: 'Q' } }),
        event('choice', { body: choice }),
      ],
    ],
    [
      'a content with all fields',
      [
        event('system.message', { 'gen_ai.event.content': '{"content":"S"}' }),
        event('user.message', { 'gen_ai.event.content': '{"role":"user","content":"Q"}' }),
        event('choice', { 'gen_ai.event.content': JSON.stringify(choice) }),
      ],
    ],
  ])('are read as messages: %s', (_form, events) => {
    const read = recordMessages({ span_type: 'llm', span_attributes: {}, events });
    expect(lines(read)).toEqual(['system: S', 'user: Q', 'assistant: A']);
  });
});

test('messages of a thread of an assistant are texts, in their original order', () => {
  const message = (role: string, at: number, value: string) => ({
    ...{ object: 'thread.message', created_at: at, role },
    content: [{ type: 'text', text: { value, annotations: [] } }],
  });
  const thread = [message('assistant', 2, 'A'), message('user', 1, 'Q')];
  for (const given of [thread, thread.toReversed(), { object: 'list', messages: thread }])
    expect(lines(readMessages(given))).toEqual(['user: Q', 'assistant: A']);
});

test.each<[string, unknown]>([
  [
    'a batch of OpenAI',
    { status_code: 200, body: { choices: [{ message: { role: 'assistant', content: 'A' } }] } },
  ],
  [
    'Bedrock',
    {
      outputBodyJson: {
        output: { message: { role: 'assistant', content: [{ text: 'A' }] } },
        stopReason: 'end',
      },
    },
  ],
])('an answer in the log of %s is its message', (_log, value) => {
  expect(lines(readMessages(value))).toEqual(['assistant: A']);
});
