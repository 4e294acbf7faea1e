/** The source of the view behind each kind of tab, with everything it imports, read from the renderer's files. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const TABLE = 'renderer/views/views.ts';
const IMPORT = /(?:from|import)\s+'(\.[^']+)'/g;

const read = (file: string) => readFileSync(join(root, file), 'utf8');

function importsOf(file: string): string[] {
  return [...read(file).matchAll(IMPORT)]
    .map(([, specifier]) =>
      relative(root, resolve(root, dirname(file), specifier ?? ''))
        .split(sep)
        .join('/'),
    )
    .filter((target) => /^(?:renderer|electron\/shared)\//.test(target) && existsSync(join(root, target)));
}

/** The file and all it imports, itself first; the table of views would lead to every other view. */
function closure(file: string): string[] {
  const found = new Set([file]);
  for (const known of found) for (const target of importsOf(known)) if (target !== TABLE) found.add(target);
  return [...found];
}

/** The component of a kind by its row of the table of views, `kind: defineView({ … import('file') })`; null for no row. */
function viewOf(kind: string): string | null {
  const row = new RegExp(
    String.raw`^\s*'?${kind}'?: defineView\(\{(?:(?!defineView)[^])*?import\('(\.[^']+)'\)`,
    'm',
  );
  const file = row.exec(read(TABLE))?.[1];
  return file === undefined ? null : join(dirname(TABLE), file).split(sep).join('/');
}

const texts = new Map<string, string>();

/** The text of a kind's view and of everything below it; null where no view of that kind is there. */
export function viewText(kind: string): string | null {
  const known = texts.get(kind);
  if (known !== undefined) return known;
  const view = viewOf(kind);
  if (view === null) return null;
  const text = closure(view)
    .filter((file) => file !== 'renderer/views/operation-homes.ts')
    .map(read)
    .join('\n');
  texts.set(kind, text);
  return text;
}
