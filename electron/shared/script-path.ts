/** Where the program finds the files that it starts as threads and processes of its own. */

/**
 * Path of the file to start, relative to `importer`, which is the `import.meta.url` of the file that asks. `source` is
 * the same in the source; in the build all of them lie in one folder, each under the name of its source (`PARTS` in
 * build/bundle.ts).
 */
export function scriptPath(source: `${string}.ts`, importer: string): string {
  if (importer.endsWith('.ts')) return source;
  return `.${source.slice(source.lastIndexOf('/'), -'.ts'.length)}.js`;
}
