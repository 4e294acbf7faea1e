/**
 * Reads single rows of a file in the same way as the check of its items, with their values and the values that do not
 * fit.
 */
import type { ItemReading } from '../../shared/items-model.ts';
import type { CheckedRow, RowStart } from '../../shared/upload-model.ts';
import type { FileState } from '../file-state.ts';
import { marksOf, readPlaces } from '../validate/check-rows.ts';
import { ItemReader } from './item-of-row.ts';

export interface CheckItemRows {
  path: string;
  /** The reading, including the decisions made from all rows of the file. */
  reading: ItemReading;
  state: FileState;
  places: RowStart[];
}

/** In file order. Throws FILE_CHANGED, and read errors. */
export function checkItemRows({ reading, ...file }: CheckItemRows): Promise<CheckedRow[]> {
  return readPlaces({ ...file, plan: reading }, (row, { header }) => {
    const reader = new ItemReader(reading, header);
    const read = reader.read(row, '');
    const bad = 'bad' in read ? read.bad : null;
    const fault = bad === null || bad.column === null ? null : { source: bad.column, reason: bad.reason };
    return marksOf(reader.problems(), { replaced: reader.replacedIn(row), repairs: reading.repairs, fault });
  });
}
