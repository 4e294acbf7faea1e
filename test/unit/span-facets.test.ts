/** Facets of spans: their fields, their values with counts, and the filter that a press sets. */
import { describe, expect, test } from 'vitest';
import type { ColumnProfile } from '../../electron/shared/analysis-model.ts';
import {
  type Facet,
  facetsOf,
  facetValues,
  isUseful,
  otherValues,
  pressed,
  valuesInFront,
} from '../../renderer/lib/span-facets.ts';
import type { SpanFieldFacts } from '../../renderer/lib/span-fields.ts';
import { failedBelow, hasFailed, problemWithin, spanProblem } from '../../renderer/lib/span-problem.ts';

const tally = (count: number, total = count) => ({ count, total });
const profile = (field: string, counts: Record<string, number>, rows = 10): ColumnProfile => ({
  field,
  kind: 'text',
  rows: tally(rows),
  absent: tally(0),
  nulls: tally(0),
  empty: tally(0),
  others: tally(0),
  distinct: 1,
  bars: [],
  tops: Object.entries(counts).map(([value, count]) => ({ value, ...tally(count) })),
});
const facts = (...keys: string[]): SpanFieldFacts => ({
  totalSpans: 10,
  isSampled: false,
  lookedAt: 10,
  attributes: keys.map((name) => ({ name, rule: '', kind: 'attribute', count: 1, share: 0.1 })),
  evaluators: [],
});
const [TYPE] = facetsOf(null, []) as [Facet];

describe('the facets', () => {
  test('are type, status, agent, the model that was requested, name, and the attributes shown as columns', () => {
    const keys = ['system.gen_ai.response.model', 'system.gen_ai.request.model', 'user.intent'];
    expect(facetsOf(facts(...keys), ['user.intent']).map(({ title, column }) => [title, column])).toEqual([
      ['Type', 'span_type'],
      ['Status', 'status_code'],
      ['Agent', 'agent_name'],
      ['Model', 'span_attributes.system.gen_ai.request.model'],
      ['Name', 'name'],
      ['intent', 'span_attributes.user.intent'],
    ]);
    expect(facetsOf(facts('llm.model_name'), [])[3]?.field).toBe('SpanAttribute::llm.model_name');
    expect(facetsOf(facts('system.remodelled'), []).map(({ title }) => title)).not.toContain('Model');
  });

  test('list known values at fixed places, others by their number, and a chosen one without a count', () => {
    const values = facetValues(TYPE, profile('span_type', { agent: 4, router: 2 }), ['batch'], false);
    expect(values.map(({ value, count, isChosen }) => [value, count, isChosen])).toEqual([
      ['llm', null, false],
      ['tool', null, false],
      ['chain', null, false],
      ['agent', 4, false],
      ['router', 2, false],
      ['batch', null, true],
    ]);
    expect(facetValues(TYPE, profile('span_type', {}), [], true).map(({ count }) => count)).toEqual([
      0, 0, 0, 0,
    ]);
  });

  test('booleans are filtered as booleans; numbers have no values', () => {
    const own = { ...TYPE, known: [] };
    const yes = { ...profile('x', { true: 3 }), kind: 'boolean' as const };
    expect(facetValues(own, yes, [], true).map(({ value }) => value)).toEqual([true]);
    expect(facetValues(own, { ...yes, kind: 'integer' }, [], true)).toEqual([]);
  });

  test('leave out a field with a value for each span, unless one is chosen', () => {
    const ids = profile('name', { a: 1, b: 1 });
    const own = { ...TYPE, known: [] };
    expect(isUseful(facetValues(own, ids, [], true), ids)).toBe(false);
    expect(isUseful(facetValues(own, ids, ['a'], true), ids)).toBe(true);
    const few = profile('name', { a: 6, b: 4 });
    expect(isUseful(facetValues(own, few, [], true), few)).toBe(true);
  });

  test('show every chosen value, and state how many values are not listed', () => {
    const names = Array.from({ length: 10 }, (_, at) => `n${at}`);
    const tops = profile('name', Object.fromEntries(names.map((name) => [name, 1])));
    const scattered = { ...tops, distinct: 25, others: tally(15) };
    const values = facetValues({ ...TYPE, known: [] }, scattered, ['n8', 'rare'], true);
    expect(valuesInFront(values, 2).map(({ value }) => value)).toEqual(['n0', 'n1', 'n8', 'rare']);
    expect(otherValues(values, scattered)).toBe(14);
    // The number of other values is an estimate. Without other spans, there are no other values.
    expect(otherValues(values, { ...scattered, others: tally(0) })).toBe(0);
  });

  test('a click selects one value alone or none; a click with Ctrl adds or removes one', () => {
    expect(pressed([], 'llm', false)).toEqual(['llm']);
    expect(pressed(['llm'], 'llm', false)).toEqual([]);
    expect(pressed(['llm', 'tool'], 'llm', false)).toEqual(['llm']);
    expect(pressed(['llm'], 'tool', true)).toEqual(['llm', 'tool']);
    expect(pressed(['llm', 'tool'], 'llm', true)).toEqual(['tool']);
  });
});

describe('the problem of a span', () => {
  test('is its status message, else the message of its exception, else a sentence', () => {
    expect(spanProblem({ status_code: 'OK', status_message: 'x' })).toBeNull();
    expect(hasFailed({ status_code: 'error' })).toBe(true);
    expect(spanProblem({ status_code: 'ERROR', status_message: ' late ' })?.text).toBe('late');
    const thrown = {
      status_code: 'ERROR',
      status_message: '',
      span_attributes: { 'exception.message': 'no key' },
    };
    expect(spanProblem(thrown)).toEqual({ text: 'no key', field: 'span_attributes.exception.message' });
    expect(spanProblem({ status_code: 'ERROR' })?.text).toBe('Failed without a message.');
  });

  test('a failed span without a message shows the message of the first span below it that failed', () => {
    interface Node {
      name: string;
      status: string;
      children: Node[];
    }
    const node = (name: string, status: string, children: Node[] = []): Node => ({ name, status, children });
    const deep = node('call', 'error');
    const root = node('agent', 'ERROR', [
      node('plan', 'OK', [node('lost', 'ERROR')]),
      node('draft', 'ERROR', [deep]),
    ]);
    expect(failedBelow(root)).toBe(deep);
    expect(failedBelow(deep)).toBeNull();
    const silent = { status_code: 'ERROR' };
    const inner = (status_message: string) => ({ name: 'call', row: { ...silent, status_message } });
    expect(problemWithin(silent, inner('late'))).toEqual({
      text: 'Failed in call: late',
      field: 'status_message',
    });
    expect(problemWithin(silent, inner(''))?.text).toBe('Failed in call, without a message.');
    expect(problemWithin({ ...silent, status_message: 'own' }, inner('late'))?.text).toBe('own');
    expect(problemWithin(silent, null)?.text).toBe('Failed without a message.');
    expect(problemWithin({ status_code: 'OK' }, inner('late'))).toBeNull();
  });
});
