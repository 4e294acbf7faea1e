/** Iterates over stored rows in the order of a grid, in batches. */

import type { Clock } from '../core/ports.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import type { ListRow, RowPage } from '../shared/model.ts';
import { wholeRow } from '../shared/record-parts.ts';
import { textFilterOf } from './row-window.ts';
import type { Library, RowChoice } from './types.ts';

type Rows = Pick<Library, 'chooseRows' | 'readRows' | 'readStored' | 'readRecord'>;

/**
 * Yields at most `limit` complete rows at a time, in grid order. `total`: the number of all rows. Rows that are not
 * stored are skipped. Throws the errors of `Library.chooseRows`.
 */
export async function* readChosen(
  library: Rows,
  clock: Clock,
  choice: RowChoice,
  limit: number,
): AsyncGenerator<{ rows: ListRow[]; total: number }> {
  const { query, narrow: typed, filters, sort, ranges } = choice;
  const { count } = await library.chooseRows({ ...choice, ranges: null });
  const isPlain = textFilterOf(typed, query) === null && sort === null && filters.length === 0;
  const total = ranges === null ? count : ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const slicer = new TimeSlicer(clock);
  const whole = async ({ rows }: RowPage): Promise<ListRow[]> => {
    const read: ListRow[] = [];
    for (const row of rows) {
      read.push(await wholeRow(row, (part) => library.readRecord(part)));
      await slicer.pause();
    }
    return read;
  };
  for (const { from, to } of ranges ?? [{ from: 0, to: Number.MAX_SAFE_INTEGER }]) {
    for (let at = from; at <= to; ) {
      const most = Math.min(limit, to - at + 1);
      const window = { offset: at, limit: most, sort, narrow: typed, filters: [...filters] };
      const page = await library.readRows({ query, window }, 'message');
      const next = page.nextOffset ?? at + most;
      if (page.rows.length > 0) yield { rows: await whole(page), total };
      else {
        // Rows are missing here, but the list continues after the gap.
        const [behind] = isPlain && at < page.matchingRows ? await library.readStored(query, at, 1) : [];
        if (behind === undefined) break;
        at = Math.max(next, behind.position);
        continue;
      }
      at = next;
    }
  }
}
