/** Columns for the first and the last time when something was seen. */
import { parseTime } from '../../../electron/shared/zone-time.ts';
import { formatMoment } from '../../lib/format.ts';
import type { Column } from '../../lib/grid/columns.ts';
import { clock } from '../../state/clock.svelte.ts';

/** The time in a short form: a time of today, a weekday, or a date. The tooltip has the full time. */
export const seenColumn = (id: string, title: string): Column => ({
  ...{ id, title, kind: 'time', width: 128, get: (row) => row[id] },
  write: (value) => {
    const ms = parseTime(value);
    return ms === null ? String(value) : formatMoment(ms, clock.nowMs);
  },
});
