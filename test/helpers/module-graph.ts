/** The imports between the files of this repository, read from the sources, for the rules in `architecture.test.ts`. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

export interface Import {
  file: string;
  /** A path relative to the repository, or the name of a package. */
  target: string;
  isTypeOnly: boolean;
  /** Whether the module is loaded when the code runs, and not together with its file. */
  isDynamic: boolean;
  /** Names of the imports; null for the whole module. */
  names: string[] | null;
}

export function sourceFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(ts|mjs|svelte)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((file) => !file.includes('node_modules'));
}

export const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

export function withoutComments(file: string): string {
  return textOf(file)
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/.*$/gm, '');
}

const IMPORT = /^\s*(?:import|export)\s+(type\s+)?(?:([^'"`;]*?)\sfrom\s+)?['"]([^'"]+)['"]/gm;
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;

const namesOf = (list: string): string[] =>
  list
    .split(',')
    .map((name) => name.trim().replace(/^type\s+/, ''))
    .filter((name) => name !== '');

/** The names in the other module, for a clause such as `a, type b as c`. */
function takenNames(clause: string): string[] | null {
  const braces = /\{([^}]*)\}/.exec(clause)?.[1];
  if (braces === undefined || clause.includes('*')) return null;
  return namesOf(braces).map((name) => name.split(/\s+as\s+/)[0] ?? name);
}

export function importsOf(file: string): Import[] {
  const text = textOf(file);
  const target = (specifier: string) =>
    specifier.startsWith('.')
      ? relative(root, resolve(root, dirname(file), specifier))
          .split(sep)
          .join('/')
      : specifier;
  return [
    ...[...text.matchAll(IMPORT)].map((found) => ({
      file,
      target: target(found[3] ?? ''),
      isTypeOnly: found[1] !== undefined,
      isDynamic: false,
      names: takenNames(found[2] ?? ''),
    })),
    ...[...text.matchAll(DYNAMIC)].map((found) => ({
      file,
      target: target(found[1] ?? ''),
      isTypeOnly: false,
      isDynamic: true,
      names: null,
    })),
  ];
}

/** The files and packages that are loaded together with a file, including the file. */
export function loadedWith(file: string): Set<string> {
  const loaded = new Set<string>();
  const open = [file];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (loaded.has(next)) continue;
    loaded.add(next);
    if (!/\.(ts|mjs)$/.test(next)) continue;
    for (const { target, isTypeOnly, isDynamic } of importsOf(next))
      if (!isTypeOnly && !isDynamic) open.push(target);
  }
  return loaded;
}

/** Strongly connected components (Tarjan's algorithm), each sorted. A single node does not count as one. */
export function cyclesOf(arrows: readonly { from: string; to: string }[]): string[][] {
  const next = Map.groupBy(arrows, ({ from }) => from);
  const order = new Map<string, number>();
  const open: string[] = [];
  const cycles: string[][] = [];
  const visit = (node: string): number => {
    const index = order.size;
    let low = index;
    order.set(node, index);
    open.push(node);
    for (const { to } of next.get(node) ?? []) {
      if (!order.has(to)) low = Math.min(low, visit(to));
      else if (open.includes(to)) low = Math.min(low, order.get(to) ?? low);
    }
    if (low === index) {
      const group = open.splice(open.indexOf(node));
      if (group.length > 1) cycles.push(group.sort());
    }
    return low;
  };
  for (const node of next.keys()) if (!order.has(node)) visit(node);
  return cycles;
}

const DECLARED =
  /^export\s+(?:async\s+)?(?:abstract\s+)?(?:const|let|function\*?|class|interface|type|enum)\s+(\w+)/gm;
const LISTED = /^export\s+(?:type\s+)?\{([^}]*)\}/gm;

function exportsOf(file: string): string[] {
  const text = textOf(file);
  return [
    ...[...text.matchAll(DECLARED)].map((found) => found[1] ?? ''),
    ...[...text.matchAll(LISTED)].flatMap((found) =>
      namesOf(found[1] ?? '').map((name) => name.split(/\s+as\s+/).at(-1) ?? name),
    ),
  ];
}

/** `file: name` for each exported name that no other file imports. */
export function unusedExports(files: readonly string[], imports: readonly Import[]): string[] {
  const uses = Map.groupBy(imports, ({ target }) => target);
  return files.flatMap((file) => {
    const ofFile = uses.get(file) ?? [];
    if (ofFile.some(({ names }) => names === null)) return [];
    const taken = new Set(ofFile.flatMap(({ names }) => names ?? []));
    return exportsOf(file)
      .filter((name) => !taken.has(name))
      .map((name) => `${file}: ${name}`);
  });
}
