/** Columns of the first and the last time of something. */
import { parseTime } from '../../../electron/shared/zone-time.ts';
import { formatMoment } from '../../lib/format.ts';
import type { Column } from '../../lib/grid/columns.ts';
import { clock } from '../../state/clock.svelte.ts';

/** The time as people say it: a time of today, a weekday, a date; the whole time is in the tooltip. */
export const seenColumn = (id: string, title: string): Column => ({
  ...{ id, title, kind: 'time', width: 128, get: (row) => row[id] },
  write: (value) => {
    const ms = parseTime(value);
    return ms === null ? String(value) : formatMoment(ms, clock.nowMs);
  },
});
