/** A value of the catalog opens the spans that contain it. */
import { describe, expect, test } from 'vitest';
import { filterOfValue, rangeSeen } from '../../renderer/lib/catalog-spans.ts';
import { SPAN_FILTERS } from '../../renderer/lib/filter/language.ts';
import { checkFilterText } from '../../renderer/lib/filter/text.ts';

const fieldsOf = (entityType: string, name: string) => {
  const text = filterOfValue(entityType, name, 'x') ?? '';
  expect(checkFilterText(text, SPAN_FILTERS).isOk).toBe(true);
  const { condition, rules } = JSON.parse(text) as { condition: string; rules: { field: string }[] };
  return [condition, ...rules.map(({ field }) => field)];
};

describe('the filter of a value', () => {
  test.each([
    ['span_type', 'llm', ['AND', 'Span::span_type']],
    ['span_name', 'draft', ['AND', 'Span::name']],
    ['agent_name', 'Router', ['AND', 'Span::agent_name']],
    ['attribute', 'user.country', ['AND', 'SpanAttribute::user.country']],
    [
      'attribute',
      'gen_ai.tool.name',
      ['OR', 'SpanAttribute::gen_ai.tool.name', 'SpanAttribute::system.gen_ai.tool.name'],
    ],
    [
      'attribute',
      'fiddler.session.user.plan',
      ['OR', 'SpanAttribute::user.plan', 'SpanAttribute::fiddler.session.user.plan'],
    ],
  ])('of %s %s', (entityType, name, expected) => {
    expect(fieldsOf(entityType, name)).toEqual(expected);
  });

  test('there is none for an unknown kind or without a value', () => {
    expect(filterOfValue('session', 'a', 'x')).toBeNull();
    expect(filterOfValue('attribute', 'a', null)).toBeNull();
    expect(filterOfValue('attribute', 'a', '')).toBeNull();
  });
});

test('the time range is when the value was seen, at most 30 days', () => {
  const last = Date.parse('2026-03-12T14:02:33Z');
  const day = 86_400_000;
  expect(rangeSeen(last - day, last)).toEqual({
    id: 'custom',
    startMs: last - day,
    endMs: Date.parse('2026-03-12T14:03:00Z'),
  });
  expect(rangeSeen(null, last).startMs).toBe(Date.parse('2026-02-10T14:03:00Z'));
  const backwards = rangeSeen(last + day, last);
  expect(backwards.startMs).toBeLessThan(backwards.endMs);
});
