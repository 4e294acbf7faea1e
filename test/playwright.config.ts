import { defineConfig } from '@playwright/test';
import { TOUR_FILES } from './helpers/tours.ts';

/** The app in a real window. `npm test -- e2e` runs these in a session of their own, with a keyring and a display. */
export default defineConfig({
  testDir: './e2e',
  testMatch: '**/*.spec.ts',
  // Tours of every view are `npm run look`.
  testIgnore: TOUR_FILES,
  // Separate from the results of other runners, because it is emptied at the start.
  outputDir: '../test-results/e2e',
  // Output of passed tests is useless.
  preserveOutput: 'failures-only',
  globalSetup: './helpers/e2e-setup.ts',
  fullyParallel: true,
  forbidOnly: true,
  // A test that passes on the second try has failed.
  retries: 0,
  // Two workers do not fill two cores: a window waits for disks, timers and frames.
  workers: 3,
  // Only failures take this long: a busy computer is not a failure.
  timeout: 480_000,
  // A service that is reachable again is noticed within a minute, and its answers are read after that.
  expect: { timeout: 120_000 },
});
