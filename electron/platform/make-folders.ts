import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates a folder and its missing parents; an existing one stays unchanged. Node's own option for this never returns
 * if the system refuses a folder below an existing one with ENOENT, as below /proc on Linux. Throws the errors of
 * `mkdirSync`.
 */
export function makeFolders(folder: string, mode?: number): void {
  const missing: string[] = [];
  for (let at = resolve(folder); !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.unshift(at);
  for (const each of missing) {
    try {
      mkdirSync(each, { mode });
    } catch (thrown) {
      // Another process may have just created it.
      if (!existsSync(each)) throw thrown;
    }
  }
  // Throws EEXIST if a file has this name.
  mkdirSync(folder, { recursive: true });
}
