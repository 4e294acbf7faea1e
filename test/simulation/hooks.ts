/**
 * Replaces the simulated imports of the product: threads, the sockets of the HTTP client, and the opening of SQLite
 * files, which is only observed. All other modules of the product are loaded unchanged; their variables can be reset to
 * the values of a new process.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join, relative } from 'node:path';

const here = (file: string): string => new URL(file, import.meta.url).href;
const PROJECT = new URL('../../', import.meta.url).href;
const PRODUCT = new URL('electron/', PROJECT).href;

/** The files of a folder that replace files of the project with the same paths: text by URL. */
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
 * Call once per process, before a module of the product is loaded. `planted`: a folder of changed files of the
 * product.
 */
export function replaceImports(planted: string | null): void {
  const changed = planted === null ? new Map<string, string>() : textsOf(planted);
  registerHooks({
    resolve: (specifier, context, next) => {
      const parent = context.parentURL ?? '';
      if (!parent.startsWith(PRODUCT)) return next(specifier, context);
      const url = replacementOf(specifier, parent);
      return url === null ? next(specifier, context) : { url, shortCircuit: true };
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
      const source = `${text}\nglobalThis[Symbol.for('${RESETS}')].push(() => { ${resets.join(' ')} });\n`;
      return { ...loaded, source };
    },
  });
}

/** Variables of modules: a new process starts with their initial values. */
const VARIABLES = /^(?:export )?let (\w+)(?:: [^=]+)? = (.+);$/gm;
const COLLECTIONS = /^(?:export )?const (\w+)(?:: [^=]+)? = new (?:Map|Set)(?:<.+>)?\(\);$/gm;
const RESETS = 'resets of modules';
const resets: (() => void)[] = [];
Object.assign(globalThis, { [Symbol.for(RESETS)]: resets });

/** Resets the modules of the product to the state of a process that has just started. */
export function resetModules(): void {
  for (const reset of resets) reset();
}

function replacementOf(specifier: string, parent: string): string | null {
  if (specifier === 'undici') return here('./agent.ts');
  if (specifier === 'better-sqlite3') return here('./databases.ts');
  if (specifier !== 'node:worker_threads') return null;
  const thread = new URL(parent).searchParams.get('thread');
  return thread === null ? here('./threads.ts') : here(`./thread-parts.ts?thread=${thread}`);
}
