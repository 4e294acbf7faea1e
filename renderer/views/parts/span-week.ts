/**
 * The range in which spans of applications are counted. It is the same all day, so that each count is read only once.
 */
import { formatDayOfYear } from '../../lib/format.ts';
import { type AlertRange, presetRange } from '../../lib/monitoring/alert-range.ts';
import { clock } from '../../state/clock.svelte.ts';

/** Seven days in UTC up to the end of today. Reactive. */
export const spanWeek = (): AlertRange => presetRange('7d', clock.nowMs);

/** `since 7 Mar`: the range is not the last 7 days up to now. Reactive. */
export const sinceText = (): string => `since ${formatDayOfYear(spanWeek().startMs)}`;
