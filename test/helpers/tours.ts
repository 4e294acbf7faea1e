/** Projects of `npm run look`: the full one takes screenshots, the short one covers one theme and one size. */
export const TOURS = 'look';
export const SHORT_TOURS = 'look-short';
/**
 * Tag for a test that only the complete `npm run look` runs, because another test asserts the same in the other theme.
 */
export const PICTURES_ONLY = '@pictures';
/** The files of all tours, which `npm test` does not run. */
export const TOUR_FILES = '**/look*.spec.ts';
