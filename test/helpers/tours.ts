/** The project of `npm run look`; a tour of `npm test` takes no pictures and looks at one size. */
export const TOURS = 'look';
/** Of a test that only `npm run look` runs: what it asserts is asserted by another in the other theme. */
export const PICTURES_ONLY = '@pictures';
