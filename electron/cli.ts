/**
 * The command line: the engine without a window. Little is imported before the cache is enabled, because only modules
 * loaded after that are compiled once for all commands. Without a writable cache, each run compiles them. A process for
 * agents does so too, because it writes nothing but its log.
 */
import { enableCompileCache } from 'node:module';
import { takeTokenFromEnvironment } from './platform/given-token.ts';
import { makeFolders } from './platform/make-folders.ts';
import { compileCacheDir } from './platform/paths.ts';

takeTokenFromEnvironment();
const compiled = compileCacheDir(process.platform, process.env);
const isForAgents = process.argv.includes('mcp');
if (!isForAgents && isMade(compiled)) enableCompileCache(compiled);
const { main } = await import('./cli/main.ts');
// package.json is in the folder above this file, both in the source and in the bundle.
await main(new URL('../package.json', import.meta.url));

/** Checks the folder first, because Node would wait forever for a folder that cannot be created. */
function isMade(folder: string): boolean {
  try {
    makeFolders(folder);
    return true;
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown) return false;
    throw thrown;
  }
}
