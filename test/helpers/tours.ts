/** Projects of `npm run look`: the whole one takes pictures, the short one looks at one theme and one size. */
export const TOURS = 'look';
export const SHORT_TOURS = 'look-short';
/** Of a test that only the whole `npm run look` runs: what it asserts is asserted by another in the other theme. */
export const PICTURES_ONLY = '@pictures';
/** Every tour; `npm test` takes none. */
export const TOUR_FILES = '**/look*.spec.ts';
