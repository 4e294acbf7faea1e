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

/** The file of a name that a file imports as default or by name; null where it imports none of that name. */
function fileOf(name: string, inFile: string): string | null {
  const line = new RegExp(`(?:import|export)[^;]*?\\b${name}\\b[^;]*?from '(\\.[^']+)'`).exec(read(inFile));
  if (line === null) return null;
  return relative(root, resolve(root, dirname(inFile), line[1] ?? ''))
    .split(sep)
    .join('/');
}

/**
 * The component of a kind by its row of the table of views, `kind: { view: first(Name)` or `view: lazy(file, (part) =>
 * part.Name)`; null where there is no such row.
 */
function viewOf(kind: string): string | null {
  const table = read(TABLE);
  const ways = String.raw`first\((\w+)\)|lazy\((\w+), \(part\) => part\.(\w+)\)`;
  const [, name, part, lazyName] =
    new RegExp(String.raw`^\s*'?${kind}'?: \{\s*view: (?:${ways})`, 'm').exec(table) ?? [];
  if (name !== undefined) return fileOf(name, TABLE);
  const index = new RegExp(String.raw`const ${part} = new LazyPart\(\(\) => import\('(\.[^']+)'`).exec(
    table,
  )?.[1];
  if (index === undefined || lazyName === undefined) return null;
  return fileOf(lazyName, join(dirname(TABLE), index));
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
