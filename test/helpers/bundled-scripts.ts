/** What `scriptPath` is in unit, property and contract tests: threads and processes start in a third of the time. */

/** The bundle that the set-up of the tests made, whoever asks for it. */
export function scriptPath(source: `${string}.ts`): string {
  const name = source.slice(source.lastIndexOf('/') + 1, -'.ts'.length);
  return new URL(`../../dist/${name}.js`, import.meta.url).href;
}
