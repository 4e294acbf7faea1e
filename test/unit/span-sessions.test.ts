/** Sessions of spans: their first question, their last answer, and their counts. */
import { expect, test } from 'vitest';
import {
  SessionGroups,
  sessionRow,
  sessionSpan,
  sessionsWith,
  sortSessions,
  spanSessions,
} from '../../electron/core/spans/sessions.ts';
import { parseExact } from '../../electron/shared/exact-json.ts';
import { whole } from '../../electron/shared/pieces.ts';

type Fields = Record<string, unknown>;

/** A span of trace `t` in session `s` that started this many seconds after midnight. */
const span = (seconds: number, fields: Fields = {}): Fields => ({
  ...{ trace_id: 't', session_id: 's', span_type: 'agent', status_code: 'OK', name: 'step' },
  span_id: `span-${seconds}`,
  start_time: new Date(Date.UTC(2026, 2, 12, 0, 0, seconds)).toISOString(),
  ...fields,
});

function sessionsOf(records: readonly Fields[]) {
  const sessions = spanSessions(records.map(sessionSpan));
  return {
    sessions,
    rows: sessions.map((each) => whole(sessionRow(each, (place) => records[place] ?? null))),
  };
}

test('begins with the first question and ends with the last answer, whatever the order of the spans', () => {
  const { rows } = sessionsOf([
    span(60, { trace_id: 'second', input: 'And to whom?', output: 'To Mara.' }),
    span(61, { trace_id: 'second', parent_span_id: 'span-60', input: 'tool', output: 'tool' }),
    span(0, { trace_id: 'first', input: 'When was it sent?', output: 'On Monday.' }),
  ]);
  expect(rows).toEqual([
    {
      ...{ session_id: 's', input: 'When was it sent?', output: 'To Mara.' },
      ...{ turns: 2, spans: 3, errors: 0, length_ms: 61_000 },
      ...{ start_time: '2026-03-12T00:00:00.000Z', last_time: '2026-03-12T00:01:01.000Z' },
    },
  ]);
});

test('takes the question and the answer from messages, without the system prompt', () => {
  const input = JSON.stringify([
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'Where is it?' },
    { role: 'assistant', content: 'Where is what?' },
    { role: 'user', content: 'My parcel.' },
  ]);
  const output = JSON.stringify([{ role: 'assistant', content: 'In Rome.' }]);
  const attributes = { 'gen_ai.input.messages': input, 'gen_ai.output.messages': output };
  const { rows } = sessionsOf([span(0, { span_type: 'llm', span_attributes: attributes })]);
  expect(rows[0]).toMatchObject({ input: 'Where is it?', output: 'In Rome.' });
});

test('sums tokens and cost of the calls that state them, and leaves unknown figures out', () => {
  const call = (attributes: Fields, type = 'llm') =>
    span(1, { span_type: type, parent_span_id: 'span-0', span_attributes: attributes });
  const used = {
    'system.gen_ai.usage.input_tokens': parseExact('120'),
    'system.gen_ai.usage.output_tokens': '30',
    'user.cost_usd': 0.000_1,
  };
  const { rows } = sessionsOf([
    // The sums of an agent are those of its calls, so they are counted only once.
    call({ 'gen_ai.usage.input_tokens': 240 }, 'agent'),
    call(used),
    call({ ...used, 'user.cost_usd': 0.000_2 }),
    call({ 'gen_ai.usage.input_tokens': 'many' }),
  ]);
  expect(rows[0]).toMatchObject({ input_tokens: 240, output_tokens: 60, tokens: 300, cost_usd: 0.0003 });
  const cheap = sessionsOf([call({ 'user.cost_usd': 2e-7 }), call({ 'user.cost_usd': 1e-7 })]);
  expect(cheap.rows[0]).toMatchObject({ cost_usd: 3e-7 });
  const without = sessionsOf([span(0)]).rows[0] ?? {};
  for (const field of ['tokens', 'input_tokens', 'cost_usd', 'input', 'agent_name'])
    expect(Object.hasOwn(without, field), field).toBe(false);
});

test('names the last error and counts failed spans', () => {
  const { rows } = sessionsOf([
    span(3, { trace_id: 'b', status_code: 'error', status_message: 'The step ended with a time-out.' }),
    span(1, { trace_id: 'a', status_code: 'ERROR', status_message: 'Refused.' }),
    span(5, { trace_id: 'c', agent_name: 'Order desk' }),
  ]);
  expect(rows[0]).toMatchObject({
    ...{ errors: 2, status_code: 'ERROR', status_message: 'The step ended with a time-out.' },
    agent_name: 'Order desk',
  });
});

test('puts a failed span without a time before the others', () => {
  const untimed = { start_time: undefined, status_code: 'ERROR', status_message: 'Undated.' };
  const { rows } = sessionsOf([
    span(3, { trace_id: 'a', status_code: 'ERROR', status_message: 'Refused.' }),
    span(4, { trace_id: 'b', ...untimed }),
    span(5, { trace_id: 'c', ...untimed }),
  ]);
  expect(rows[0]).toMatchObject({ errors: 3, status_message: 'Refused.' });
});

test('sums the tokens of calls that state one side only', () => {
  const only = (field: string) =>
    sessionsOf([span(0, { span_type: 'llm', span_attributes: { [field]: 7 } })]).rows[0];
  expect(only('gen_ai.usage.input_tokens')).toMatchObject({ input_tokens: 7, tokens: 7 });
  expect(only('gen_ai.usage.output_tokens')).toMatchObject({ output_tokens: 7, tokens: 7 });
});

test('lists the latest session first, leaves spans without a session out, and sorts by figures', () => {
  const { sessions } = sessionsOf([
    span(0, { session_id: 'old' }),
    span(9, { session_id: 'new', trace_id: 'n' }),
    span(10, { session_id: '', trace_id: 'x' }),
    span(2, { session_id: 'old', trace_id: 'y' }),
  ]);
  const ids = (list: typeof sessions) => list.map(({ id }) => id);
  expect(ids(sessions)).toEqual(['new', 'old']);
  expect(ids(whole(sortSessions(sessions, { field: 'turns', isDescending: true })))).toEqual(['old', 'new']);
  expect(ids(whole(sortSessions(sessions, { field: 'turns', isDescending: false })))).toEqual(['new', 'old']);
  expect(ids(whole(sortSessions(sessions, null)))).toEqual(['new', 'old']);
  // If a session contains one of these spans, it is shown with the counts of all its spans.
  expect(whole(sessionsWith(sessions, new Set([3]))).map(({ id, spans }) => [id, spans])).toEqual([
    ['old', 2],
  ]);
});

test('accepts spans without times, ids or texts', () => {
  const { rows } = sessionsOf([{ session_id: 's' }, { session_id: 's', start_time: 'soon', input: null }]);
  expect(rows).toEqual([{ session_id: 's', turns: 2, spans: 2, errors: 0 }]);
});

test('lasts until its last span ends, in the unit of its durations', () => {
  const { rows } = sessionsOf([
    span(0, { duration: 9_000 }),
    span(4, { parent_span_id: 'span-0', duration: 2_500 }),
  ]);
  expect(rows[0]?.['length_ms']).toBe(9_000);
  const inSeconds = sessionsOf([
    span(0, { duration: 9 }),
    span(4, { parent_span_id: 'span-0', duration: 6 }),
  ]);
  expect(inSeconds.rows[0]?.['length_ms']).toBe(10_000);
});

test('takes the first exchange with a question, and the last one with an answer', () => {
  const { rows } = sessionsOf([
    span(0, { trace_id: 'start' }),
    span(10, { trace_id: 'asked', input: 'When was it sent?', output: 'On Monday.' }),
    span(20, { trace_id: 'check' }),
  ]);
  expect(rows[0]).toMatchObject({ turns: 3, input: 'When was it sent?', output: 'On Monday.' });
});

test('cuts long questions between characters', () => {
  const { rows } = sessionsOf([span(0, { input: `${'a'.repeat(998)}👩‍👩‍👧 and more` })]);
  expect(rows[0]?.['input']).toBe(`${'a'.repeat(998)}…`);
});

test('added and replaced spans change their sessions as if all were grouped at once', () => {
  const record = (place: number, version: number) =>
    span(1_000 - place, {
      session_id: ['', 'a', 'b', 'c', 'd'][(place * version) % 5],
      trace_id: `t-${place >> 1}`,
    });
  const groups = new SessionGroups();
  let records: Fields[] = [];
  const known = new Map<string, unknown>();
  for (const [from, to] of [
    [0, 7],
    [7, 8],
    [8, 20],
    [15, 18],
    [2, 4],
    [2, 9],
  ] as const) {
    const added = Array.from({ length: to - from }, (_, at) => record(from + at, to));
    records = [...records.slice(0, from), ...added];
    const { sessions, removed } = groups.replaceFrom(
      from,
      added.map((each, at) => sessionSpan(each, from + at)),
    );
    for (const id of removed) known.delete(id);
    for (const session of sessions) known.set(session.id, session);
    const all = spanSessions(records.map(sessionSpan));
    expect(new Map(all.map((session) => [session.id, session]))).toEqual(known);
  }
});

test('a page groups the sessions of its own spans only', () => {
  const groups = new SessionGroups();
  const of = (place: number, session: string) => sessionSpan(span(place, { session_id: session }), place);
  groups.replaceFrom(0, [of(0, 'a'), of(1, 'b'), of(2, 'b')]);
  expect(groups.replaceFrom(3, [of(3, 'b'), of(4, 'c')]).sessions.map(({ id }) => id)).toEqual(['b', 'c']);
});
