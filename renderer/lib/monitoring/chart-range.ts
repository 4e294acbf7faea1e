/** Start and end of a chart's time range, converted between request, input field and milliseconds. Pure. */

import type { JsonObject } from '../../../electron/shared/json-fields.ts';
import { civilAt, isoTime, isoWithOffset, momentOf } from '../../../electron/shared/zone-time.ts';

/** A range as requests write it: ISO times with offset. An invalid time is omitted. */
export function rangeText(startMs: number, endMs: number, zone: string): JsonObject {
  return {
    start_time: Number.isNaN(startMs) ? '' : isoWithOffset(startMs, zone),
    end_time: Number.isNaN(endMs) ? '' : isoWithOffset(endMs, zone),
  };
}

const TYPED = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2}))?/;

/** Milliseconds of `2026-03-12T14:00` on the wall clock of the zone; null if the text is invalid. */
export function typedTime(text: string, zone: string): number | null {
  const found = TYPED.exec(text.trim());
  if (found === null) return null;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = found
    .slice(1)
    .map((part) => Number(part ?? 0));
  const ms = momentOf({ year, month: month - 1, day, hour, minute, second }, zone);
  return Number.isNaN(ms) ? null : ms;
}

/** The start or end as the value of a date-time field; empty if it is not a time. */
export function inputTime(bound: string, zone: string): string {
  const ms = isoTime(bound);
  if (ms === null) return '';
  const { year, month, day, hour, minute } = civilAt(ms, zone);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${String(year).padStart(4, '0')}-${two(month + 1)}-${two(day)}T${two(hour)}:${two(minute)}`;
}
