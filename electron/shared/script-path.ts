/** Locates the scripts that the program starts as threads and processes. */

/**
 * Path of the file to start, relative to `importer`, the `import.meta.url` of the calling file. `source` is its path in
 * the source; in the build all of them are in one folder, named after their source (`PARTS` in build/bundle.ts).
 */
export function scriptPath(source: `${string}.ts`, importer: string): string {
  if (importer.endsWith('.ts')) return source;
  return `.${source.slice(source.lastIndexOf('/'), -'.ts'.length)}.js`;
}
