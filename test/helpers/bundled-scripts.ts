/**
 * Replaces `scriptPath` in unit, property and contract tests, so that threads and processes start in a third of the
 * time.
 */

/** The bundled script. The set-up of the tests builds it for all tests. */
export function scriptPath(source: `${string}.ts`): string {
  const name = source.slice(source.lastIndexOf('/') + 1, -'.ts'.length);
  return new URL(`../../dist/${name}.js`, import.meta.url).href;
}
