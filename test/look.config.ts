import { defineConfig } from '@playwright/test';
import { TOURS } from './helpers/tours.ts';
import usual from './playwright.config.ts';

const { grepInvert: _, ...rest } = usual;

/** Tours of every view with pictures, both themes and sizes: `npm run look`. */
export default defineConfig(rest, {
  projects: [{ name: TOURS, testMatch: '**/look*.spec.ts', outputDir: '../test-results/look' }],
});
