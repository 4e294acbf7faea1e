/**
 * Time ranges of alert records. Their ends are rounded, so that reopened views send the same query and find its stored
 * response. Pure.
 */
import type { TimeRange } from '../../../electron/shared/model.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export const ALERT_PRESETS = [
  { id: '24h', title: 'Last 24 hours', lengthMs: DAY },
  { id: '7d', title: 'Last 7 days', lengthMs: 7 * DAY },
  { id: '30d', title: 'Last 30 days', lengthMs: 30 * DAY },
  { id: '90d', title: 'Last 90 days', lengthMs: 90 * DAY },
  { id: '6m', title: 'Last 6 months', lengthMs: 182 * DAY },
  { id: '12m', title: 'Last 12 months', lengthMs: 365 * DAY },
] as const;
export type PresetId = (typeof ALERT_PRESETS)[number]['id'];

export interface AlertRange extends TimeRange {
  id: PresetId | 'custom';
}

export function isPreset(id: unknown): id is PresetId {
  return ALERT_PRESETS.some((preset) => preset.id === id);
}

/** Unit that ends are rounded up to: an hour for hourly bins, otherwise a day; in UTC, like the bins. */
export function grainOf(binSize: string): number {
  return binSize === 'Hour' ? HOUR : DAY;
}

/** The preset range up to now. It ends at the next multiple of `grainMs`. */
export function presetRange(id: PresetId, nowMs: number, grainMs = DAY): AlertRange {
  const endMs = Math.floor(nowMs / grainMs) * grainMs + grainMs;
  const lengthMs = ALERT_PRESETS.find((preset) => preset.id === id)?.lengthMs ?? 7 * DAY;
  return { id, startMs: endMs - lengthMs, endMs };
}

/** The default preset for a rule with this bin size. */
export function usualPreset(binSize: string): PresetId {
  switch (binSize) {
    case 'Hour':
      return '7d';
    case 'Week':
      return '6m';
    case 'Month':
    case 'Quarter':
      return '12m';
    default:
      return '30d';
  }
}

/** Whether the current time is past the end of a preset range. */
export function isBehind(range: AlertRange, nowMs: number): boolean {
  return range.id !== 'custom' && nowMs >= range.endMs;
}

export function rangeToParams({ id, startMs, endMs }: AlertRange): Record<string, string> {
  return { range: id, start: new Date(startMs).toISOString(), end: new Date(endMs).toISOString() };
}

/** The range in the parameters of a tab; null if there is none. */
export function rangeOfParams(params: Readonly<Record<string, string>>): AlertRange | null {
  const [startMs, endMs] = [Date.parse(params['start'] ?? ''), Date.parse(params['end'] ?? '')];
  if (Number.isNaN(startMs) || Number.isNaN(endMs) || endMs <= startMs) return null;
  return { id: isPreset(params['range']) ? params['range'] : 'custom', startMs, endMs };
}
