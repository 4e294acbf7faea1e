import { defineConfig } from '@playwright/test';
import { PICTURES_ONLY, SHORT_TOURS, TOUR_FILES, TOURS } from './helpers/tours.ts';
import usual from './playwright.config.ts';

const { testIgnore: _, ...rest } = usual;

/** Tours of every view: `npm run look` with pictures, both themes and sizes; `npm run look -- short` without. */
export default defineConfig(rest, {
  // The pictures are what they are run for; the data folders go by themselves.
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
