/** The visible part of the time range, and its changes. Pure. */
import type { TimeSpan } from '../../lib/chart/types.ts';

/** Minimum visible range in ms. */
const MIN_MS = 1_000;

/** Limits a span to the whole range and to the minimum length. Null if the result is the whole range. */
export function clampSpan(span: TimeSpan, whole: TimeSpan): TimeSpan | null {
  const length = whole.endMs - whole.startMs;
  if (!(length > MIN_MS)) return null;
  const wanted = Math.min(length, Math.max(MIN_MS, span.endMs - span.startMs));
  const startMs = Math.min(Math.max(span.startMs, whole.startMs), whole.endMs - wanted);
  return wanted >= length ? null : { startMs, endMs: startMs + wanted };
}

/** Zooms in (factor below 1) or out. The given time keeps its position. */
export function scaleSpan(span: TimeSpan, aroundMs: number, factor: number): TimeSpan {
  const around = Math.min(Math.max(aroundMs, span.startMs), span.endMs);
  return {
    startMs: around - (around - span.startMs) * factor,
    endMs: around + (span.endMs - around) * factor,
  };
}

/** Moves a span by a share of its own length. */
export function panSpan(span: TimeSpan, share: number): TimeSpan {
  const by = (span.endMs - span.startMs) * share;
  return { startMs: span.startMs + by, endMs: span.endMs + by };
}

/** Moves a span as little as possible to show the time. */
export function revealIn(span: TimeSpan, ms: number): TimeSpan {
  if (ms < span.startMs) return { startMs: ms, endMs: ms + (span.endMs - span.startMs) };
  if (ms > span.endMs) return { startMs: ms - (span.endMs - span.startMs), endMs: ms };
  return span;
}
