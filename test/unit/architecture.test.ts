/** Holds the import directions of the README ("Rooms"): who may import whom, and who may touch what. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

interface Import {
  file: string;
  target: string;
  isTypeOnly: boolean;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(ts|svelte)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((file) => !file.includes('node_modules'));
}

const IMPORT = /^\s*(?:import|export)\s+(type\s+)?(?:[^'"`;]*?\sfrom\s+)?['"]([^'"]+)['"]/gm;
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  const target = (specifier: string) =>
    specifier.startsWith('.')
      ? relative(root, resolve(root, dirname(file), specifier))
          .split(sep)
          .join('/')
      : specifier;
  return [
    ...[...text.matchAll(IMPORT)].map((found) => ({
      file,
      target: target(found[2] ?? ''),
      isTypeOnly: found[1] !== undefined,
    })),
    ...[...text.matchAll(DYNAMIC)].map((found) => ({
      file,
      target: target(found[1] ?? ''),
      isTypeOnly: false,
    })),
  ];
}

/** Room of a file: the part of its path that names it in the rules below. */
function room(path: string): string {
  const parts = path.split('/');
  if (parts[0] === 'electron') return parts.length > 2 ? `electron/${parts[1]}` : path;
  return parts[0] ?? path;
}

/** For each room, the rooms it may import values from; after `types:`, the rooms it may import only types from. */
const MAY_IMPORT: Record<string, { values: string[]; types: string[] }> = {
  'electron/shared': { values: [], types: [] },
  'electron/core': { values: ['electron/shared'], types: [] },
  'electron/platform': { values: ['electron/shared'], types: ['electron/core'] },
  'electron/db': { values: ['electron/shared', 'electron/core'], types: [] },
  'electron/api': { values: ['electron/shared', 'electron/core'], types: ['electron/scheduler'] },
  'electron/scheduler': { values: ['electron/shared', 'electron/core'], types: [] },
  // The mechanism of durable jobs knows no kind: rooms of kinds import it, never the other way round.
  'electron/jobs': { values: ['electron/shared', 'electron/core'], types: ['electron/db'] },
  'electron/library': {
    values: ['electron/shared', 'electron/core'],
    types: ['electron/db', 'electron/api', 'electron/scheduler'],
  },
  'electron/uploads': {
    values: ['electron/shared', 'electron/core', 'electron/jobs'],
    types: ['electron/db', 'electron/api', 'electron/scheduler'],
  },
  'electron/datasets': {
    values: ['electron/shared', 'electron/core', 'electron/jobs'],
    types: ['electron/db', 'electron/api', 'electron/scheduler'],
  },
  'electron/resources': {
    values: ['electron/shared', 'electron/core', 'electron/api'],
    types: ['electron/library', 'electron/scheduler'],
  },
  'electron/bulk': {
    values: ['electron/shared', 'electron/core', 'electron/jobs'],
    types: ['electron/db', 'electron/resources'],
  },
  'electron/connections': {
    values: ['electron/shared', 'electron/core'],
    types: ['electron/db', 'electron/api', 'electron/scheduler', 'electron/platform'],
  },
  'electron/ipc': {
    values: ['electron/shared', 'electron/platform'],
    types: [
      'electron/core',
      'electron/connections',
      'electron/library',
      'electron/uploads',
      'electron/engine',
    ],
  },
  'electron/sample-service': { values: ['electron/shared', 'electron/core', 'electron/api'], types: [] },
  'electron/preload.ts': { values: ['electron/shared'], types: [] },
  renderer: { values: ['electron/shared'], types: [] },
};

const PARTS_THAT_COMPOSE = new Set([
  'electron/main.ts',
  'electron/engine',
  'electron/cli.ts',
  'electron/cli',
]);
const MAY_TOUCH_ELECTRON = ['electron/main.ts', 'electron/preload.ts', 'electron/ipc/', 'electron/platform/'];

const files = [...sourceFiles('electron'), ...sourceFiles('renderer')];
const imports = files.flatMap(importsOf);

describe('import directions', () => {
  test('the rules are read from real files', () => {
    expect(files.length).toBeGreaterThan(20);
    expect(imports.length).toBeGreaterThan(50);
  });

  test('every import between rooms follows the table', () => {
    const broken = imports.filter(({ file, target, isTypeOnly }) => {
      const from = room(file);
      if (PARTS_THAT_COMPOSE.has(from)) return /^(test|build)\//.test(target);
      if (!/^(electron|renderer|test|build)\//.test(target)) return false;
      const to = room(target);
      if (to === from) return false;
      const rule = MAY_IMPORT[from];
      if (rule === undefined) return true;
      return !(rule.values.includes(to) || (isTypeOnly && rule.types.includes(to)));
    });
    expect(broken.map(({ file, target }) => `${file} -> ${target}`)).toEqual([]);
  });

  test('only main, preload, ipc and platform import electron', () => {
    const broken = imports.filter(
      ({ file, target }) =>
        target === 'electron' && !MAY_TOUCH_ELECTRON.some((start) => file.startsWith(start)),
    );
    expect(broken.map(({ file }) => file)).toEqual([]);
  });

  test('the sample service and resources take only the endpoint table and its records from api', () => {
    const broken = imports.filter(
      ({ file, target, isTypeOnly }) =>
        /^electron\/(sample-service|resources)\//.test(file) &&
        !isTypeOnly &&
        target.startsWith('electron/api/') &&
        !['electron/api/endpoints.ts', 'electron/api/records.ts'].includes(target),
    );
    expect(broken).toEqual([]);
  });

  test('preload and channels import nothing that a sandbox lacks', () => {
    expect(importsOf('electron/shared/channels.ts')).toEqual([]);
    expect(importsOf('electron/preload.ts').map(({ target }) => target)).toEqual([
      'electron',
      'electron/shared/channels.ts',
    ]);
  });

  test('in the window only lib/client.ts touches the bridge', () => {
    const broken = sourceFiles('renderer').filter(
      (file) =>
        file !== 'renderer/lib/client.ts' && /window\.spandeck/.test(readFileSync(join(root, file), 'utf8')),
    );
    expect(broken).toEqual([]);
  });
});

describe('direct use of clock, random, fetch and timers', () => {
  const PURE = /^electron\/(core|scheduler|library|connections|datasets|resources|bulk)\//;
  const FORBIDDEN =
    /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bsetTimeout\(|\bsetInterval\(|\bfetch\(|\brandomUUID\(/;

  test('is absent from the parts that get them passed in', () => {
    const broken = files.filter((file) => PURE.test(file) && FORBIDDEN.test(withoutComments(file)));
    expect(broken).toEqual([]);
  });

  test('SQL stands only in db and in the sample service', () => {
    const SQL = /\b(SELECT\s.+\sFROM|INSERT\s+INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+TABLE)\b/;
    const broken = files.filter(
      (file) => !/^electron\/(db|sample-service)\//.test(file) && SQL.test(withoutComments(file)),
    );
    expect(broken).toEqual([]);
  });
});

function withoutComments(file: string): string {
  return readFileSync(join(root, file), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/.*$/gm, '');
}
