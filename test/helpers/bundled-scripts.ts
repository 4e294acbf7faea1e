/**
 * Replaces `scriptPath` in unit, property and contract tests, so that threads and processes start in a third of the
 * time.
 */

/** The bundled script, which the set-up of the tests has made, whoever starts it. */
export function scriptPath(source: `${string}.ts`): string {
  const name = source.slice(source.lastIndexOf('/') + 1, -'.ts'.length);
  return new URL(`../../dist/${name}.js`, import.meta.url).href;
}
