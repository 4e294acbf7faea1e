/** Version of the code that reads files. Results of another version are not reused. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The parts that read files: in the build, the bundles of the threads and of the process; otherwise their source files.
 */
const BUILT = /^(?:upload-worker|analysis-process).*\.js$/;
const SOURCE_FOLDERS = ['uploads', 'analysis', 'shared'];
const SOURCE = /\.ts$/;

/** Hash of the names and the content of the files in these folders. Throws if there are none. */
export function versionOf(folders: readonly string[], isPart: RegExp, recursive: boolean): string {
  const hash = createHash('sha256');
  let found = 0;
  for (const folder of folders)
    for (const name of readdirSync(folder, { encoding: 'utf8', recursive }).toSorted()) {
      if (!isPart.test(name)) continue;
      found += 1;
      hash
        .update(name)
        .update('\0')
        .update(readFileSync(join(folder, name)));
    }
  if (found === 0) throw new Error(`Expected the parts that read files in ${folders.join(', ')}, got none.`);
  return hash.digest('hex').slice(0, 16);
}

let version: string | null = null;

/** Read once, because the files of a running program stay the same. */
export function readingVersion(): string {
  const here = import.meta.dirname;
  version ??= import.meta.url.endsWith('.ts')
    ? versionOf(
        SOURCE_FOLDERS.map((name) => join(here, '..', name)),
        SOURCE,
        true,
      )
    : versionOf([here], BUILT, false);
  return version;
}
