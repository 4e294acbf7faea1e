/** Lines of a receipts file: writing them as bytes gives the same as writing them one by one. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eachReceipt } from '../../electron/core/jobs/receipt-rows.ts';
import { delimitedLine } from '../../electron/shared/delimited.ts';
import { ReceiptBytes } from '../../electron/uploads/receipt-bytes.ts';
import { writeWhole } from '../../electron/uploads/whole-file-writer.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { runs } from '../helpers/runs.ts';

const id = fc.oneof(
  { weight: 20, arbitrary: fc.uuid() },
  { weight: 20, arbitrary: fc.stringMatching(/^[0-9a-zA-Z][0-9a-zA-Z._:-]{0,40}$/) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', ' ', '-1', '=1', 'a,b', 'a"b', 'a\\b', 'é', 'a\n', 'a ', '\0', '.a'),
  },
);
const batch = fc
  .record({
    number: fc.nat({ max: 3_000_000 }),
    places: fc.array(
      fc.tuple(fc.nat(), fc.oneof(fc.nat(), fc.constant(2 ** 40)), fc.integer({ min: 1, max: 12 })),
      {
        minLength: 1,
        maxLength: 4,
      },
    ),
    ids: fc.array(id, { minLength: 48, maxLength: 48 }),
    further: fc.constantFrom(0, 0, 0, 0, 1, -1),
    loose: fc.constantFrom<string[]>([], [], [], ['a']),
    hasNone: fc.integer({ min: 0, max: 20 }).map((one) => one === 0),
  })
  .map(({ number, places, ids, further, loose, hasNone }) => {
    const rows = places.reduce((sum, [, , count]) => sum + count, 0);
    const eventIds = hasNone ? null : ids.slice(0, rows + further);
    return { part: { batch: number, places }, receipt: { eventIds, looseIds: loose } };
  });

test('written as bytes, lines of receipts are the same as one by one', () => {
  let asBytes = 0;
  fc.assert(
    fc.property(batch, ({ part, receipt }) => {
      const bytes = new ReceiptBytes();
      const json = Buffer.from(JSON.stringify(receipt));
      // A batch that is not added must leave nothing behind.
      if (!bytes.add(json, part)) {
        expect(bytes.take()).toHaveLength(0);
        return;
      }
      asBytes += 1;
      const lines = [...eachReceipt([{ part, receipt }])].map(
        ({ row, line, batch: shown, eventId }) => `${row},${line},${shown},${delimitedLine([eventId ?? ''])}`,
      );
      bytes.add(json, part);
      expect(bytes.take().toString()).toBe(lines.join('').repeat(2));
    }),
    { numRuns: runs(500) },
  );
  expect(asBytes).toBeGreaterThan(50);
});

test('every id of common forms is written as bytes', () => {
  const eventIds = ['1-0', '0b1c4d5e-0000-4000-8000-000000000000', 'a', 'run.1:2_3'];
  const part = { batch: 6, places: [[1, 2, 3] as const, [9, 12, 1] as const] };
  const bytes = new ReceiptBytes();
  expect(bytes.add(Buffer.from(JSON.stringify({ eventIds, looseIds: [] })), part)).toBe(true);
  expect(bytes.take().toString()).toBe(
    '1,2,7,1-0\n2,3,7,0b1c4d5e-0000-4000-8000-000000000000\n3,4,7,a\n9,12,7,run.1:2_3\n',
  );
});

test('a file of texts and bytes has them in their order', async () => {
  using folder = new DataFolder();
  const path = folder.file('mixed');
  const long = 'x'.repeat(300_000);
  const parts = [
    'a\n',
    Buffer.from('b\n'),
    Buffer.from('c\n'),
    'd\n',
    long,
    Buffer.from(long),
    'e',
    Buffer.from('f'),
  ];
  await writeWhole(path, parts);
  expect(readFileSync(path, 'utf8')).toBe(parts.map(String).join(''));
});
