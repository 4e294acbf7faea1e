/**
 * The command line: the engine without a window. Imports little before the cache is enabled, because only modules
 * loaded after that are compiled once for all commands. If the cache cannot be written, each run compiles them, and so
 * does a process for agents, which writes nothing but its log.
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
// The file is next to the folder of this one, both in the source and in the bundle.
await main(new URL('../package.json', import.meta.url));

/** Node itself would wait without an end for a folder that cannot be made. */
function isMade(folder: string): boolean {
  try {
    makeFolders(folder);
    return true;
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown) return false;
    throw thrown;
  }
}
