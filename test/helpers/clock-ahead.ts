/**
 * Sets the wall time of the main process ahead of all other clocks, so that a job planned for later starts without
 * waiting.
 */
import * as path from 'node:path';
import type { ElectronApplication } from '@playwright/test';
import type { LaunchOptions } from './app.ts';

declare global {
  var clockAheadMs: number;
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

/** Launch options for a main process whose clock is ahead by this time in ms. */
export const startedAhead = (aheadMs: number): LaunchOptions => ({
  requires: [path.join(import.meta.dirname, 'clock-ahead.cjs')],
  env: { SPANDECK_TEST_AHEAD_MS: String(aheadMs) },
});

/** Changes by how much the clock is ahead. The app must have been launched with `startedAhead`. */
export const goAhead = (app: ElectronApplication, aheadMs: number): Promise<void> =>
  app.evaluate((_electron, ms) => {
    globalThis.clockAheadMs = ms;
  }, aheadMs);
