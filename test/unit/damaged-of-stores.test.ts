/** Unreadable rows of all stores of a connection can each be removed from their store. */
import { expect, test } from 'vitest';
import { createDamagedRows, type DamagedRows, type DamagedSource } from '../../electron/db/damaged-rows.ts';
import { damagedOf } from '../../electron/engine/damaged.ts';
import { AppError } from '../../electron/shared/errors.ts';

const DAMAGED_STORE = new AppError('STORE_DAMAGED', 'library.db is damaged.');

/** A store with one damaged row of this kind. */
function storeOf(kind: DamagedSource['kind'], removed: string[]): { damaged: DamagedRows } {
  const source: DamagedSource = {
    kind,
    rows: () => [{ id: `${kind}-1` }],
    read: () => {
      throw new AppError('STORE_DAMAGED', 'Expected JSON.');
    },
    columns: { id: 'id', title: 'title', atMs: 'at' },
    remove: (id) => removed.push(id),
  };
  return { damaged: createDamagedRows([source], (work) => work()) };
}
/** A store that could not be opened. */
const refused: { damaged: DamagedRows } = {
  damaged: {
    list: () => [],
    remove: () => {
      throw DAMAGED_STORE;
    },
  },
};

test('a damaged row is removed from its store, also beside a store that did not open', () => {
  const removed: string[] = [];
  const rooms = damagedOf([refused, storeOf('upload', removed), storeOf('export', removed)]);
  rooms.remove('export', 'export-1');
  expect(removed).toEqual(['export-1']);
});

test('a row that is in no readable store is refused with the reason why a store cannot be read', () => {
  const rooms = damagedOf([storeOf('upload', []), refused]);
  expect(() => rooms.remove('keep-offline', 'x')).toThrow(DAMAGED_STORE);
});

test('a row that is not damaged is refused', () => {
  const rooms = damagedOf([storeOf('upload', []), storeOf('export', [])]);
  expect(() => rooms.remove('export', 'x')).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
});
