/** Lines of MongoDB and DynamoDB are found in one pass over the bytes. */
import { expect, test, vi } from 'vitest';
import { decoderFor } from '../../electron/uploads/readers/encoding.ts';
import { JsonLinesReader } from '../../electron/uploads/readers/json-reader.ts';
import { MAX_ROW_BYTES } from '../../electron/uploads/readers/row-source.ts';

const ROWS = 200;

test.each([
  ['MongoDB', '{"_id":{"$oid":"65a000000000000000000000"},"n":{"$numberInt":"1"}}'],
  ['DynamoDB', '{"Item":{"id":{"S":"a"},"n":{"N":"1"}}}'],
])('%s: no sign is searched again in bytes without it', (_, line) => {
  const bytes = Buffer.from(`${line}\n`.repeat(ROWS));
  const searched = vi.spyOn(Buffer.prototype, 'indexOf');
  const rows: unknown[] = [];
  const reader = new JsonLinesReader({
    start: { byteOffset: 0, line: 1, row: 1 },
    decode: decoderFor('utf-8'),
    measure: (_bytes, from, to) => to - from,
    maxRowBytes: MAX_ROW_BYTES,
    sink: { takeLine: () => true, takeRow: (row) => rows.push(row) },
  });
  reader.push(bytes);
  const texts = searched.mock.calls.filter(([wanted]) => Buffer.isBuffer(wanted));
  searched.mockRestore();
  expect(rows).toHaveLength(ROWS);
  // The sign that is missing is searched once; the other one is searched again after each row that has it.
  expect(texts.length).toBeLessThanOrEqual(ROWS + 3);
});
