/**
 * THIRD_PARTY_NOTICES.txt: the licences of all packages whose code is in the bundles or next to them. The bundler
 * reports these packages for each part, so no list has to be maintained.
 */
import * as fs from 'node:fs';
import * as path from 'node:path';

interface PackageFacts {
  name: string;
  version: string;
  license: string;
  /** Licence and notice files of the package, unchanged. */
  texts: string[];
}

const LICENSE_FILE = /^(licen[cs]e|notice|copying|ofl)([-.].*)?$/i;

/** The package folder of a file, relative to the root; null for files of this project. */
export function packageFolder(file: string): string | null {
  const parts = file.split(path.sep);
  const at = parts.lastIndexOf('node_modules');
  if (at < 0) return null;
  const length = parts[at + 1]?.startsWith('@') === true ? 3 : 2;
  return parts.slice(0, at + length).join(path.sep);
}

/** The folders of packages that are loaded unbundled, and of all their dependencies. */
export function withDependencies(root: string, names: readonly string[]): string[] {
  const found = new Set<string>();
  const add = (name: string, from: string): void => {
    const folder = locate(root, name, from);
    if (folder === null || found.has(folder)) return;
    found.add(folder);
    const { dependencies = {}, optionalDependencies = {} } = manifest(root, folder);
    // Optional dependencies are installed only on matching platforms.
    for (const inner of Object.keys({ ...dependencies, ...optionalDependencies })) add(inner, folder);
  };
  for (const name of names) add(name, '');
  return [...found];
}

function locate(root: string, name: string, from: string): string | null {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const tried = path.join(folder === '.' ? '' : folder, 'node_modules', name);
    if (fs.existsSync(path.join(root, tried, 'package.json'))) return tried;
    if (folder === '' || folder === '.') return null;
  }
}

interface Manifest {
  name: string;
  version: string;
  license?: string | { type?: string };
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const manifest = (root: string, folder: string): Manifest =>
  JSON.parse(fs.readFileSync(path.join(root, folder, 'package.json'), 'utf8')) as Manifest;

function factsOf(root: string, folder: string): PackageFacts {
  const { name, version, license } = manifest(root, folder);
  const stated = typeof license === 'string' ? license : (license?.type ?? '');
  const texts = fs
    .readdirSync(path.join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile() && LICENSE_FILE.test(entry.name))
    .map((entry) => fs.readFileSync(path.join(root, folder, entry.name), 'utf8').trim());
  return { name, version, license: stated, texts };
}

/** The contents of the file. Throws if a package neither names a licence nor contains one. */
export function notices(root: string, folders: readonly string[]): string {
  const all = [...new Set(folders)]
    .map((folder) => factsOf(root, folder))
    .sort((a, b) => a.name.localeCompare(b.name, 'en') || a.version.localeCompare(b.version, 'en'));
  const unnamed = all.filter(({ license, texts }) => license === '' && texts.length === 0);
  if (unnamed.length > 0)
    throw new Error(`No licence found for: ${unnamed.map(({ name }) => name).join(', ')}.`);
  const head = `Spandeck contains code of the following ${all.length} packages.`;
  const parts = all.map(({ name, version, license, texts }) =>
    [`${name} ${version} (${license === '' ? 'see its text' : license})`, ...texts].join('\n\n'),
  );
  return `${[head, ...parts].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
