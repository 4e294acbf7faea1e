import { defineConfig } from '@playwright/test';
import { TOUR_FILES } from './helpers/tours.ts';

/** The app in a real window. `npm test -- e2e` runs these in a session of their own, with a keyring and a display. */
export default defineConfig({
  testDir: './e2e',
  testMatch: '**/*.spec.ts',
  // Tours of every view are `npm run look`.
  testIgnore: TOUR_FILES,
  // Apart from the results of other runners, which it would empty at its start.
  outputDir: '../test-results/e2e',
  // What a test that passed wrote is of no use to anybody.
  preserveOutput: 'failures-only',
  globalSetup: './helpers/e2e-setup.ts',
  fullyParallel: true,
  forbidOnly: true,
  // A test that passes the second time has failed.
  retries: 0,
  // Two cores are not full with two: a window waits for disks, timers and frames.
  workers: 3,
  // Only a failure takes so long: a computer that is busy with other things is no failure.
  timeout: 240_000,
  expect: { timeout: 60_000 },
});
