/** Projects of `npm run look`: the full one takes screenshots, the short one covers one theme and one size. */
export const TOURS = 'look';
export const SHORT_TOURS = 'look-short';
/** For a test that only the full `npm run look` runs: another test asserts the same in the other theme. */
export const PICTURES_ONLY = '@pictures';
/** Every tour; `npm test` takes none. */
export const TOUR_FILES = '**/look*.spec.ts';
