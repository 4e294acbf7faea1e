import { defineConfig } from '@playwright/test';
import { PICTURES_ONLY, SHORT_TOURS, TOUR_FILES, TOURS } from './helpers/tours.ts';
import usual from './playwright.config.ts';

const { testIgnore: _, ...rest } = usual;

/** Tours of every view: `npm run look` with screenshots, both themes and sizes; `npm run look -- short` without. */
export default defineConfig(rest, {
  // The screenshots are the purpose of the run; the data folders are removed automatically.
  preserveOutput: 'always',
  projects: [
    { name: TOURS, testMatch: TOUR_FILES, outputDir: '../test-results/look' },
    {
      name: SHORT_TOURS,
      testMatch: TOUR_FILES,
      grepInvert: new RegExp(PICTURES_ONLY),
      outputDir: '../test-results/look-short',
    },
  ],
});
