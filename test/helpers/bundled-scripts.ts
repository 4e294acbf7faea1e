/** Replaces `scriptPath` in unit, property and contract tests: threads and processes start in a third of the time. */

/** The bundle made by the set-up of the tests, for any caller. */
export function scriptPath(source: `${string}.ts`): string {
  const name = source.slice(source.lastIndexOf('/') + 1, -'.ts'.length);
  return new URL(`../../dist/${name}.js`, import.meta.url).href;
}
