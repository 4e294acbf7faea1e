/** Main's wall time, ahead of everybody else's: what starts in hours is seen to start without waiting for it. */
import * as path from 'node:path';
import type { ElectronApplication } from '@playwright/test';
import type { LaunchOptions } from './app.ts';

declare global {
  var clockAheadMs: number;
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

/** For a launch whose main process begins so far ahead. */
export const startedAhead = (aheadMs: number): LaunchOptions => ({
  requires: [path.join(import.meta.dirname, 'clock-ahead.cjs')],
  env: { SPANDECK_TEST_AHEAD_MS: String(aheadMs) },
});

/** Of an app that was launched with `startedAhead`. */
export const goAhead = (app: ElectronApplication, aheadMs: number): Promise<void> =>
  app.evaluate((_electron, ms) => {
    globalThis.clockAheadMs = ms;
  }, aheadMs);
