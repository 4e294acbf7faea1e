/** If a part of a stored list answers a time range, its counts are about that part and not about the whole list. */
import { expect, test } from 'vitest';
import { countsWithin, rowsWithin } from '../../electron/cli/stored-instead.ts';
import { GONE_FIELD } from '../../electron/shared/gone-field.ts';
import type { ListRow } from '../../electron/shared/model.ts';

const DAY = 86_400_000;
const START = Date.parse('2026-01-01T00:00:00Z');
/** One row per day. The service no longer has the first and the fifth. */
const rows = Array.from({ length: 7 }, (_, day): ListRow => {
  const start_time = new Date(START + day * DAY).toISOString();
  const gone = day === 0 || day === 4 ? { [GONE_FIELD]: '2026-02-01T00:00:00.000Z' } : {};
  return { position: day, record: { start_time, ...gone } };
});

test('rows that the service no longer has are counted within the range', () => {
  const range = { kind: 'range' as const, field: 'start_time', from: START + 3 * DAY, to: START + 6 * DAY };
  const part = rowsWithin(rows, { ...range, includesTo: false });
  expect(countsWithin(part, {}, { complete: true })).toEqual({ storedRows: 3, totalRows: 3, goneRows: 1 });
});

test('nobody knows how many of the missing rows belong to the range', () => {
  const counts = countsWithin(rows.slice(1, 3), { missingRows: 40 }, { complete: false });
  expect(counts).toEqual({ storedRows: 2, totalRows: null, goneRows: 0, missingRows: null });
});
