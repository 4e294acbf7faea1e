/**
 * What the product imports from outside and what is simulated: threads, the sockets of the HTTP client, and the opening of
 * SQLite files, which is only watched. Everything else of the product is loaded as it is.
 */
import { registerHooks } from 'node:module';

const here = (file: string): string => new URL(file, import.meta.url).href;
const PRODUCT = new URL('../../electron/', import.meta.url).href;

/** To be called once a process, before a module of the product is loaded. */
export function replaceImports(): void {
  registerHooks({
    resolve: (specifier, context, next) => {
      const parent = context.parentURL ?? '';
      if (!parent.startsWith(PRODUCT)) return next(specifier, context);
      const url = replacementOf(specifier, parent);
      return url === null ? next(specifier, context) : { url, shortCircuit: true };
    },
  });
}

function replacementOf(specifier: string, parent: string): string | null {
  if (specifier === 'undici') return here('./agent.ts');
  if (specifier === 'better-sqlite3') return here('./databases.ts');
  if (specifier !== 'node:worker_threads') return null;
  const thread = new URL(parent).searchParams.get('thread');
  return thread === null ? here('./threads.ts') : here(`./thread-parts.ts?thread=${thread}`);
}
