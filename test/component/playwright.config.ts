import { defineConfig } from '@playwright/test';
import { HAS_PICTURES } from './pictures.ts';

/** The renderer alone in Chromium, with a fake main process. */
export default defineConfig({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  globalSetup: './setup.ts',
  outputDir: '../../test-results/component',
  // The output of a passed test is not needed, except for its pictures.
  preserveOutput: HAS_PICTURES ? 'always' : 'failures-only',
  fullyParallel: true,
  forbidOnly: true,
  retries: 0,
  // Three workers on two cores, as a window often waits for disks, timers and frames.
  workers: 3,
  timeout: 120_000,
  expect: { timeout: 20_000 },
});
