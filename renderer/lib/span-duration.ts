/** Durations of spans. The service documents no unit for them, so the unit is inferred from the spans. Pure. */
import { timesOf, unitOf } from '../../electron/shared/span-unit.ts';
import { formatDuration, formatNumber } from './format.ts';
import type { JsonObject } from './records.ts';

/**
 * Milliseconds per unit of `duration`: the smallest unit with which children start while their parents are running.
 * Null if no child allows a conclusion.
 */
export function readUnit(rows: readonly JsonObject[]): number | null {
  return unitOf(rows.map(timesOf));
}

/** The name of a unit: `s`, `ms`, `µs`, `ns`. */
export function unitWord(unitMs: number): string {
  if (unitMs > 1) return 's';
  return unitMs === 1 ? 'ms' : unitMs < 1e-4 ? 'ns' : 'µs';
}

export const unitNote = (unitMs: number): string =>
  `Durations read as ${unitWord(unitMs)}. The service states no unit for them; with this one, child spans fit inside their parents.`;

const rounded = (value: number, places: number) => formatNumber(Number(value.toFixed(places)));

/** `430 ms`, `4.43 s`, `12.5 s`, `3 min`, `250 µs`: three digits, as values are compared in a column. */
export function formatSpanDuration(value: number, unitMs: number): string {
  const ms = value * unitMs;
  if (!Number.isFinite(ms) || ms < 0) return formatNumber(value);
  if (ms === 0) return `0 ${unitWord(unitMs)}`;
  if (ms < 1e-3) return `${rounded(ms * 1e6, 0)} ns`;
  if (ms < 1) return `${rounded(ms * 1e3, 0)} µs`;
  if (ms < 999.5) return `${rounded(ms, ms < 9.95 ? 1 : 0)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(ms < 9_995 ? 2 : 1)} s`;
  return formatDuration(ms);
}
