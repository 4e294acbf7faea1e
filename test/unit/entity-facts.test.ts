import { expect, test } from 'vitest';
import { entityFacts, findEntity, noValuesReason } from '../../renderer/lib/entity-facts.ts';

const refund = {
  name: 'app.refund.amount',
  data_type: 'numeric',
  semantic_name: 'UNKNOWN',
  row_count: 10_148,
  first_seen: '2026-01-02T03:04:05Z',
  last_seen: '2026-03-12T14:02:00Z',
};

test('a numeric entity is named as the reason for missing values, with the known facts', () => {
  expect(noValuesReason('app.refund.amount', 'attribute', refund)).toMatch(/because it is numeric/);
  expect(entityFacts(refund).map(({ name }) => name)).toEqual([
    'Type',
    'Semantic name',
    'Rows',
    'First seen',
    'Last seen',
  ]);
  expect(entityFacts(refund)).toContainEqual({ name: 'Rows', value: '10,148' });
  expect(entityFacts({ name: 'x', row_count: null })).toEqual([]);
});

test('another entity shows the facts that contradict an empty list', () => {
  const text = { ...refund, data_type: 'string' };
  expect(noValuesReason('a', 'span_name', text)).toBe(
    'The service lists no values of a for the entity type “span name”, although 10,148 rows have it.',
  );
  expect(noValuesReason('a', 'span_name', null)).toBe(
    'The service lists no values of a for the entity type “span name”.',
  );
});

test('of two entities with one name the one of the given type is used', () => {
  const other = { ...refund, entity_type: 'span_name' };
  expect(findEntity([refund, other], 'app.refund.amount', 'span_name')).toBe(other);
  expect(findEntity([refund], 'app.refund.amount', 'span_name')).toBe(refund);
  expect(findEntity([refund], 'app.refund', 'attribute')).toBeNull();
});
