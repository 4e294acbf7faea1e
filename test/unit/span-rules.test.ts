/**
 * Filters of spans and messages about rejected spans: unknown fields are named, and each message is shown at its span.
 */
import { describe, expect, test } from 'vitest';
import { failedSpans } from '../../electron/core/spans/failed-spans.ts';
import { spanField, unknownSpanField } from '../../electron/core/spans/span-rules.ts';

const rule = (field: string) => ({ field, operator: 'equal' as const, value: 'x' });

describe('fields of a filter', () => {
  test.each([
    ['Span::agent_name', null],
    ['SpanAttribute::user.intent', null],
    ['Span::colour', 'Span::colour'],
    ['SpanAttribute::', 'SpanAttribute::'],
    ['agent_name', 'agent_name'],
  ])('%s', (field, unknown) => {
    expect(unknownSpanField(rule(field))).toBe(unknown);
    const nested = { condition: 'OR' as const, rules: [rule('Span::input'), rule(field)] };
    expect(unknownSpanField({ condition: 'AND', rules: [rule('Span::output'), nested] })).toBe(unknown);
  });

  test('a span without attributes, or without this one, has no value for it', () => {
    const key = 'SpanAttribute::user.intent';
    expect(spanField({ span_attributes: { 'user.intent': 'refund' } }, key)).toBe('refund');
    for (const attributes of [{}, null, 'text', undefined, { other: 1 }])
      expect(spanField({ span_attributes: attributes }, key)).toBeUndefined();
    expect(spanField({ span_attributes: {} }, 'SpanAttribute::toString')).toBeUndefined();
    expect(spanField({ input: 'hello' }, 'Span::input')).toBe('hello');
  });
});

describe('messages of a rejection', () => {
  const spans = [
    { trace_id: 't1', span_id: 'aaaa' },
    { trace_id: 't2', span_id: 'bbbb' },
  ];

  test('belong to the span whose id they contain, in any case of letters', () => {
    const { messages, unmatched } = failedSpans([{ reason: 'r', message: 'Span BBBB is gone' }], spans);
    expect([...messages]).toEqual([[1, 'Span BBBB is gone']]);
    expect(unmatched).toEqual([]);
  });

  test('that name no span are kept; without a text, the reason stands for it', () => {
    const issues = [
      { reason: 'limit', message: '' },
      { reason: 'other', message: 'Something else' },
    ];
    expect(failedSpans(issues, spans)).toEqual({
      messages: new Map(),
      unmatched: ['limit', 'Something else'],
    });
  });
});
