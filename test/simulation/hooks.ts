/**
 * Replaces some imports of the product: threads, the sockets of the HTTP client, and the opening of SQLite files, which
 * is only observed. All other modules of the product are loaded unchanged, but their variables can be reset to the
 * values in a new process.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join, relative } from 'node:path';

const here = (file: string): string => new URL(file, import.meta.url).href;
const PROJECT = new URL('../../', import.meta.url).href;
const PRODUCT = new URL('electron/', PROJECT).href;

/** The process to which a loaded module belongs. At most one of each kind runs at a time. */
type Owner = 'window' | 'command';
/**
 * Added to the addresses of modules of command lines. It looks like a file of source text, because the product checks
 * the end of its address.
 */
const OF_COMMAND = '?of=command.ts';

/** The files of a folder that replace files of the project with the same path: text by URL. */
function textsOf(folder: string): ReadonlyMap<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return new Map(
    files.map(({ parentPath, name }) => {
      const file = join(parentPath, name);
      return [new URL(relative(folder, file), PROJECT).href, readFileSync(file, 'utf8')];
    }),
  );
}

/**
 * Call once per process, before a module of the product is loaded. `planted` is a folder with changed files of the
 * product.
 */
export function replaceImports(planted: string | null): void {
  const changed = planted === null ? new Map<string, string>() : textsOf(planted);
  registerHooks({
    resolve: (specifier, context, next) => {
      const parent = context.parentURL ?? '';
      if (!parent.startsWith(PRODUCT)) return next(specifier, context);
      const replaced = replacementOf(specifier, parent);
      if (replaced !== null) return { url: replaced, shortCircuit: true };
      const found = next(specifier, context);
      const isOfCommand = parent.endsWith(OF_COMMAND) && found.url.startsWith(PRODUCT);
      return isOfCommand ? { ...found, url: `${found.url}${OF_COMMAND}` } : found;
    },
    // Several simulated processes run in this one, one after another.
    load: (url, context, next) => {
      const loaded = next(url, context);
      if (!url.startsWith(PRODUCT) || loaded.source === undefined || loaded.source === null) return loaded;
      const known = changed.get(url.replace(/\?.*$/, ''));
      const found =
        typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
      const text = known ?? found;
      const resets = [
        ...[...text.matchAll(VARIABLES)].map(([, name = '', value = '']) => `${name} = ${value};`),
        ...[...text.matchAll(COLLECTIONS)].map(([, name = '']) => `${name}.clear();`),
      ];
      if (resets.length === 0) return known === undefined ? loaded : { ...loaded, source: known };
      const owner = url.endsWith(OF_COMMAND) ? 'command' : 'window';
      const source = `${text}\nglobalThis[Symbol.for('${RESETS}')].${owner}.push(() => { ${resets.join(' ')} });\n`;
      return { ...loaded, source };
    },
  });
}

/** Variables of modules, which have their initial values in a new process. */
const VARIABLES = /^(?:export )?let (\w+)(?:: [^=]+)? = (.+);$/gm;
const COLLECTIONS = /^(?:export )?const (\w+)(?:: [^=]+)? = new (?:Map|Set)(?:<.+>)?\(\);$/gm;
const RESETS = 'resets of modules';
const resets: Readonly<Record<Owner, (() => void)[]>> = { window: [], command: [] };
Object.assign(globalThis, { [Symbol.for(RESETS)]: resets });

/** Resets the modules of the product to their state in a process that has just started. */
export function resetModules(owner: Owner): void {
  for (const reset of resets[owner]) reset();
}

/** Loads the product for a command line, which shares no variables with the window. */
export async function loadForCommand() {
  const [engine, errors] = await Promise.all([
    import(`${PRODUCT}engine/engine.ts${OF_COMMAND}`) as Promise<
      typeof import('../../electron/engine/engine.ts')
    >,
    import(`${PRODUCT}shared/errors.ts${OF_COMMAND}`) as Promise<
      typeof import('../../electron/shared/errors.ts')
    >,
  ]);
  return { createEngine: engine.createEngine, AppError: errors.AppError };
}

function replacementOf(specifier: string, parent: string): string | null {
  if (specifier === 'undici') return here('./agent.ts');
  if (specifier === 'better-sqlite3') return here('./databases.ts');
  if (specifier !== 'node:worker_threads') return null;
  const thread = new URL(parent).searchParams.get('thread');
  return thread === null ? here('./threads.ts') : here(`./thread-parts.ts?thread=${thread}`);
}
