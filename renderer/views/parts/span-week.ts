/**
 * The range in which spans of applications are counted. It is the same all day, so that each count is read only once.
 */
import type { TimeRange } from '../../../electron/shared/model.ts';
import { formatDayOfYear } from '../../lib/format.ts';
import { weekOfDays } from '../../lib/span-range.ts';
import { clock } from '../../state/clock.svelte.ts';

/** Seven days in the display time zone up to the end of today. Reactive. */
export const spanWeek = (): TimeRange => weekOfDays(clock.nowMs);

/** `since 7 Mar`: the range is not the last 7 days up to now. Reactive. */
export const sinceText = (): string => `since ${formatDayOfYear(spanWeek().startMs)}`;
