/**
 * Values of metrics that depend only on the series and the time bin, so that a bin always has the same value: in a
 * chart, in an alert record and in thresholds. Some bins have no value, and some are outliers. Some series have a peak
 * day at regular intervals, so that at any time a rule has fired recently.
 */
import { type Bin, DAY_MS, HOUR_MS } from './bins.ts';

export interface SeriesProfile {
  /** Usual value; for counts, the value per hour. */
  level: number;
  /** Amplitude of weekly and seasonal waves, as a share of the level. */
  swing: number;
  /** Amplitude of random differences, as a share of the level. */
  noise: number;
  least: number;
  most: number;
  /** The value is proportional to the length of the bin. */
  isCount: boolean;
  digits: number;
  /** Days from one peak to the next; default: no peaks. */
  peakEveryDays?: number;
}

/** Share of bins without a value, and of outliers. */
const MISSING_SHARE = 0.025;
const OUTLIER_SHARE = 0.03;
/** Size of an outlier, as a share of the level. */
const OUTLIER_SIZE = 0.9;
/** Size of a peak, as a share of the level: more than waves and noise together. */
const PEAK_SIZE = 1.6;

/** A 32-bit hash of a text (FNV-1a, with a final mix so that similar texts differ in every bit). */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** A number in [0, 1) derived from a text. */
export function unitOf(text: string): number {
  return hashText(text) / 4_294_967_296;
}

/** A uuid derived from a text. */
export function uuidOf(text: string): string {
  const hex = [0, 1, 2, 3].map((part) => hashText(`${part}:${text}`).toString(16).padStart(8, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

const wave = (timeMs: number, periodMs: number, phase: number): number =>
  Math.sin(2 * Math.PI * (timeMs / periodMs + phase));

/** Whether a bin is within a peak day. */
function isPeak({ peakEveryDays }: SeriesProfile, { startMs, endMs }: Bin): boolean {
  return (
    peakEveryDays !== undefined &&
    endMs - startMs <= DAY_MS &&
    Math.floor(startMs / DAY_MS) % peakEveryDays === 0
  );
}

/** Value of a series in one bin, or null if the bin has none. */
export function valueIn(seriesKey: string, profile: SeriesProfile, bin: Bin): number | null {
  const binKey = `${seriesKey}|${bin.startMs}|${bin.endMs - bin.startMs}`;
  const peaks = isPeak(profile, bin);
  if (!peaks && unitOf(`${binKey}|missing`) < MISSING_SHARE) return null;
  const phase = unitOf(seriesKey);
  const middleMs = (bin.startMs + bin.endMs) / 2;
  const lengthMs = bin.endMs - bin.startMs;
  const day = lengthMs < DAY_MS ? 0.6 * wave(middleMs, DAY_MS, phase) : 0;
  const week = lengthMs < 7 * DAY_MS ? 0.5 * wave(middleMs, 7 * DAY_MS, phase) : 0;
  const season = 0.5 * wave(middleMs, 120 * DAY_MS, phase * 3);
  const random = unitOf(`${binKey}|noise`) * 2 - 1;
  const isOutlier = !peaks && unitOf(`${binKey}|outlier`) < OUTLIER_SHARE;
  const outlier = isOutlier ? (phase < 0.5 ? OUTLIER_SIZE : -OUTLIER_SIZE) : 0;
  const usual = 1 + profile.swing * (day + week + season) + profile.noise * random;
  const share = usual + outlier * profile.swing * 2 + (peaks ? PEAK_SIZE : 0);
  const level = profile.isCount ? (profile.level * lengthMs) / HOUR_MS : profile.level;
  return Number(Math.min(profile.most, Math.max(profile.least, level * share)).toFixed(profile.digits));
}
