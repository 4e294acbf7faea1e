import { defineConfig } from '@playwright/test';

/** The renderer alone, with a made-up main process, in Chromium. */
export default defineConfig({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  globalSetup: './setup.ts',
  outputDir: '../../test-results/component',
  // What a test that passed wrote is of no use to anybody.
  preserveOutput: 'failures-only',
  fullyParallel: true,
  forbidOnly: true,
  retries: 0,
  // Two cores are not full with two: a window waits for disks, timers and frames.
  workers: 3,
  timeout: 120_000,
  expect: { timeout: 20_000 },
});
