/** Spans of a stored list are added to a build. */
import { expect, test } from 'vitest';
import { toItemRow, toMarkedRow } from '../../electron/api/item-row.ts';
import { fromRow } from '../../electron/datasets/picked-span.ts';
import { parseRecord } from '../../electron/shared/record-parts.ts';

const span = { trace_id: 't', span_id: 's', name: 'ask', attributes: { 'input.value': 'x'.repeat(2_000) } };

test('a span that the list stores completely is added with its record, a truncated one is read again', () => {
  expect(fromRow(parseRecord(toItemRow(span, 'span_id').record))).toMatchObject({
    span_id: 's',
    record: JSON.stringify(span),
  });
  expect(fromRow(parseRecord(toMarkedRow(span, 'span_id', '8 MB').record))).toMatchObject({
    trace_id: 't',
    span_id: 's',
    name: 'ask',
    keys: null,
    record: null,
  });
});
