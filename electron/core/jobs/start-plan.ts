/** Automatic starts of jobs, for all job kinds. Pure. */
import { AppError } from '../../shared/errors.ts';
import type { LateStart } from '../../shared/upload-model.ts';

export interface StartPlan {
  /** Wall time of the automatic start; null if none is planned. */
  startAtMs: number | null;
  /** The last planned start, if it happened late. */
  lateStart: LateStart | null;
}

export const NO_START: StartPlan = { startAtMs: null, lateStart: null };

/** A start that is late by this much is reported. It happens if the application was closed, or the computer slept. */
const LATE_MS = 60_000;

export function lateStartOf(plannedAtMs: number, nowMs: number): LateStart | null {
  return nowMs - plannedAtMs > LATE_MS ? { plannedAtMs, startedAtMs: nowMs } : null;
}

/** Returns the time. Throws INVALID_ARGUMENT if there is none or it has passed. */
export function futureStart(startAtMs: number | null, nowMs: number): number {
  if (startAtMs === null) throw new AppError('INVALID_ARGUMENT', 'Expected the time of the start.');
  if (startAtMs > nowMs) return startAtMs;
  throw new AppError('INVALID_ARGUMENT', 'Expected a start in the future, got a time that has passed.');
}

/** The clock may be corrected by this much without a change of plans. */
const MAX_CORRECTION_MS = 60_000;

/**
 * The earlier start of a job that starts by a rule: its stored start was planned while the clock was ahead, and the clock
 * has been set back since. Null if the stored start may stay. `latestMs`: the latest start by the rule, from now; null if
 * the start is not one of a rule, so that any time is possible.
 */
export function earlierStart(startAtMs: number, latestMs: number | null, nowMs: number): number | null {
  if (latestMs === null || startAtMs <= latestMs + MAX_CORRECTION_MS) return null;
  return Math.max(latestMs, nowMs + 1);
}

/** Whether a stored moment of the past lies in the future, because the clock has been set back since. */
export const isSetBackSince = (storedMs: number, nowMs: number): boolean =>
  storedMs > nowMs + MAX_CORRECTION_MS;
