/** A session is shown as a conversation: each trace is an exchange with only its new messages. */
import { describe, expect, test } from 'vitest';
import { exchangesOf, saidIn } from '../../electron/shared/messages/exchanges.ts';
import type { Message } from '../../electron/shared/messages/message.ts';
import { whole } from '../../electron/shared/pieces.ts';
import type { JsonObject } from '../../renderer/lib/records.ts';
import { buildTrace, spanHead } from '../../renderer/lib/trace-tree.ts';

const span = (trace: string, id: string, parent: string | null, atS: number, more: object = {}) => ({
  ...{
    trace_id: trace,
    span_id: id,
    parent_span_id: parent,
    name: id,
    span_type: 'chain',
    status_code: 'OK',
  },
  start_time: new Date(Date.UTC(2026, 2, 12, 10, 0, atS)).toISOString(),
  duration: 1,
  ...more,
});
const exchanges = (rows: readonly JsonObject[]) =>
  exchangesOf(whole(buildTrace(rows.map((row, place) => spanHead(row, place)))));
const names = (spans: readonly { name: string }[]) => spans.map(({ name }) => name);

describe('exchanges of a session', () => {
  test('are traces in the order of their start, each with its root and the spans under it', () => {
    const found = exchanges([
      span('b', 'b-root', null, 60),
      span('a', 'a-leaf', 'a-llm', 3, { status_code: 'ERROR' }),
      span('a', 'a-root', null, 0),
      span('a', 'a-llm', 'a-root', 2, { span_type: 'llm' }),
    ]);
    expect(found.map(({ head, failed }) => [head.name, failed])).toEqual([
      ['a-root', 1],
      ['b-root', 0],
    ]);
    expect(names(found[0]?.steps.map(({ node }) => node) ?? [])).toEqual(['a-llm', 'a-leaf']);
    expect(names(found[0]?.speakers ?? [])).toEqual(['a-root', 'a-llm']);
  });

  test('of a trace without its root are still one, with its spans in order', () => {
    const found = exchanges([
      span('a', 'second', 'elsewhere', 2, { span_type: 'llm' }),
      span('a', 'first', 'elsewhere', 1),
      span('a', 'third', null, 3),
    ]);
    expect(found).toHaveLength(1);
    expect(found[0]?.head.name).toBe('third');
    expect(names(found[0]?.steps.map(({ node }) => node) ?? [])).toEqual(['first', 'second']);
  });

  test('without a trace id are separate', () => {
    expect(exchanges([span('', 'one', null, 0), span('', 'two', null, 1)])).toHaveLength(2);
  });
});

const text = (role: string, words: string): Message => ({ role, parts: [{ kind: 'text', text: words }] });
const said = (record: JsonObject, before: readonly Message[] = []) => {
  const found = saidIn(record, before);
  const short = (messages: readonly Message[] = []) =>
    messages.map(
      ({ role, parts }) => `${role}: ${parts.map((part) => ('text' in part ? part.text : '')).join()}`,
    );
  return {
    asked: short(found?.asked),
    answered: short(found?.answered),
    repeated: found?.repeated.length ?? 0,
    all: found?.all ?? [],
  };
};

describe('messages of a session', () => {
  test('are input and output of a span of any type; a span without either has none', () => {
    expect(said({ span_type: 'agent', input: 'Where?', output: 'There.' })).toMatchObject({
      asked: ['user: Where?'],
      answered: ['assistant: There.'],
    });
    expect(saidIn({ span_type: 'chain', input: '', output: null, span_attributes: {} }, [])).toBeNull();
  });

  test('a continued history is not repeated, nor the system prompt at its start', () => {
    const history = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Where?' },
    ];
    const first = said({ span_type: 'llm', input: JSON.stringify(history), output: 'There.' });
    expect(first).toMatchObject({
      asked: ['system: Be brief.', 'user: Where?'],
      answered: ['assistant: There.'],
    });
    const longer = [
      ...history,
      { role: 'assistant', content: 'There.' },
      { role: 'user', content: 'And then?' },
    ];
    const second = said({ span_type: 'llm', input: JSON.stringify(longer), output: 'Home.' }, first.all);
    expect(second).toMatchObject({ asked: ['user: And then?'], answered: ['assistant: Home.'], repeated: 3 });
    const other = [history[0], { role: 'user', content: 'Who?' }];
    expect(said({ span_type: 'llm', input: JSON.stringify(other), output: 'Me.' }, second.all)).toMatchObject(
      {
        asked: ['user: Who?'],
        repeated: 1,
      },
    );
  });

  test('a repeated question is shown again', () => {
    const again = { span_type: 'agent', input: 'Where?', output: 'Elsewhere.' };
    const before = [text('user', 'Where?'), text('assistant', 'There.')];
    expect(said(again, before)).toMatchObject({
      asked: ['user: Where?'],
      answered: ['assistant: Elsewhere.'],
    });
  });

  test('an output state that contains all inputs shows each message once', () => {
    const input = { messages: [{ role: 'user', content: 'Where?' }] };
    const output = { messages: [...input.messages, { role: 'assistant', content: 'There.' }] };
    expect(said({ span_type: 'chain', input: JSON.stringify(input), output })).toMatchObject({
      asked: ['user: Where?'],
      answered: ['assistant: There.'],
    });
  });

  test('calls of tools are shown with the answer', () => {
    const messages = [
      { role: 'user', content: 'Where?' },
      { role: 'assistant', content: null, tool_calls: [{ function: { name: 'find', arguments: '{}' } }] },
      { role: 'tool', content: '{"found":true}' },
    ];
    const { asked, answered } = said({ span_type: 'llm', input: JSON.stringify(messages), output: 'There.' });
    expect(asked).toEqual(['user: Where?']);
    expect(answered).toHaveLength(3);
  });
});
