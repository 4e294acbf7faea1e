/**
 * Traffic of the models: a number of rows for each hour since production began, and the events published since. A
 * longer bin is the sum of its hours, and the rows of production are the sum of all hours.
 */
import type { JsonRecord } from '../store.ts';
import type { Stores } from '../stores.ts';
import { type Bin, binBefore, binOf, DAY_MS, HOUR_MS, isBinSize } from './bins.ts';
import { type SeriesProfile, valueIn } from './series.ts';

export const TRAFFIC_PER_HOUR = 420;
const PROFILE: SeriesProfile = {
  level: TRAFFIC_PER_HOUR,
  swing: 0.25,
  noise: 0.12,
  least: 0,
  most: Number.MAX_VALUE,
  isCount: true,
  digits: 0,
};

/** Number of rows of a model's production in a bin, up to a moment; null for a bin without rows. */
export type Traffic = (bin: Bin, untilMs?: number) => number | null;

/** Sums of whole days, which never change. Days before production began are not included. */
const days = new Map<string, number>();

const hourOf = (timeMs: number): number => Math.floor(timeMs / HOUR_MS) * HOUR_MS;

function sumOfHours(modelId: string, fromMs: number, toMs: number): number {
  let sum = 0;
  for (let hourMs = fromMs; hourMs < toMs; hourMs += HOUR_MS)
    sum += valueIn(`${modelId}|traffic`, PROFILE, { startMs: hourMs, endMs: hourMs + HOUR_MS }) ?? 0;
  return sum;
}

function sumOfDay(modelId: string, dayMs: number): number {
  const key = `${modelId} ${dayMs}`;
  const sum = days.get(key) ?? sumOfHours(modelId, dayMs, dayMs + DAY_MS);
  days.set(key, sum);
  return sum;
}

/** Number of rows of the hours that begin in [fromMs, toMs). */
function rowsBetween(modelId: string, fromMs: number, toMs: number): number {
  let sum = 0;
  for (let timeMs = fromMs; timeMs < toMs; ) {
    const isWholeDay = timeMs % DAY_MS === 0 && timeMs + DAY_MS <= toMs;
    sum += isWholeDay
      ? sumOfDay(modelId, timeMs)
      : sumOfHours(modelId, timeMs, Math.min(timeMs + HOUR_MS, toMs));
    timeMs += isWholeDay ? DAY_MS : HOUR_MS;
  }
  return sum;
}

/** When a production environment began to receive rows. */
const beginOf = (environment: JsonRecord): number => hourOf(Date.parse(String(environment['created_at'])));

export function trafficOf(stores: Stores, modelId: string): Traffic {
  const production = stores.resources
    .list('environment', modelId)
    .find((record) => record['type'] === 'PRODUCTION');
  const beginMs = production === undefined ? Number.POSITIVE_INFINITY : beginOf(production);
  return ({ startMs, endMs }, untilMs = endMs) => {
    const published = stores.events.countBetween(modelId, startMs, endMs);
    const rows = published + rowsBetween(modelId, Math.max(startMs, beginMs), Math.min(endMs, untilMs));
    return rows === 0 ? null : rows;
  };
}

/** Number of rows of a production environment from its start until `untilMs`, without published events. */
export function rowsSinceBegin(environment: JsonRecord, modelId: string, untilMs: number): number {
  return rowsBetween(modelId, beginOf(environment), untilMs);
}

/**
 * Number of rows that a baseline compares with: those of its set, or the traffic of its time range or of the window
 * before now.
 */
export function baselineRows(
  stores: Stores,
  environment: JsonRecord | undefined,
  { modelId, baseline, nowMs }: { modelId: string; baseline: JsonRecord; nowMs: number },
): number | null {
  if (environment?.['type'] !== 'PRODUCTION') return countOf(environment?.['row_count']);
  const traffic = trafficOf(stores, modelId);
  const { start_time: startMs, end_time: endMs, window_bin_size: size, offset_delta: delta } = baseline;
  if (isBinSize(size) && typeof delta === 'number')
    return traffic(binBefore(binOf(nowMs, size), size, delta)) ?? 0;
  return typeof startMs === 'number' && typeof endMs === 'number'
    ? (traffic({ startMs, endMs }, nowMs) ?? 0)
    : null;
}

const countOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);
