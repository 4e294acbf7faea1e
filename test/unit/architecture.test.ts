/** Checks which rooms may import which, and which files may use what (docs/ARCHITECTURE.md, "Rooms"). */
import { describe, expect, test } from 'vitest';
import {
  cyclesOf,
  type Import,
  importsOf,
  sourceFiles,
  textOf,
  unusedExports,
  withoutComments,
} from '../helpers/module-graph.ts';

/** Returns the room of a file, which is the part of its path that the rules below use. */
function room(path: string): string {
  const parts = path.split('/');
  if (parts[0] === 'electron') return parts.length > 2 ? `electron/${parts[1]}` : path;
  return parts[0] ?? path;
}

/**
 * For each room, the rooms from which it may import values, and under `types` those from which it may import only
 * types.
 */
const MAY_IMPORT: Record<string, { values: string[]; types: string[] }> = {
  'electron/shared': { values: [], types: [] },
  'electron/core': { values: ['electron/shared'], types: [] },
  'electron/platform': { values: ['electron/shared'], types: ['electron/core'] },
  'electron/db': { values: ['electron/shared', 'electron/core'], types: [] },
  'electron/api': { values: ['electron/shared', 'electron/core'], types: ['electron/scheduler'] },
  'electron/scheduler': { values: ['electron/shared', 'electron/core'], types: [] },
  // The code for durable jobs knows no kind of job: the rooms of the kinds import it, and it imports none of them.
  'electron/jobs': { values: ['electron/shared', 'electron/core'], types: ['electron/db'] },
  // The analysis process reads the rows of a list itself with the SQL of the store, and has its own clock.
  'electron/analysis': {
    values: ['electron/shared', 'electron/core', 'electron/db', 'electron/platform'],
    types: [],
  },
  'electron/library': {
    values: ['electron/shared', 'electron/core'],
    types: ['electron/db', 'electron/api', 'electron/scheduler', 'electron/analysis'],
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
  'electron/outbox': {
    values: ['electron/shared', 'electron/core', 'electron/jobs'],
    types: ['electron/db', 'electron/resources'],
  },
  'electron/keep': {
    values: ['electron/shared', 'electron/core', 'electron/jobs'],
    types: ['electron/db', 'electron/api', 'electron/library'],
  },
  'electron/export': {
    values: ['electron/shared', 'electron/core', 'electron/jobs'],
    types: ['electron/db', 'electron/api', 'electron/library', 'electron/analysis'],
  },
  'electron/mirror': {
    values: ['electron/shared', 'electron/core', 'electron/jobs'],
    types: ['electron/db', 'electron/analysis'],
  },
  'electron/reports': { values: ['electron/shared', 'electron/core'], types: [] },
  'electron/pack': { values: ['electron/shared', 'electron/core'], types: [] },
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
      'electron/datasets',
      'electron/engine',
    ],
  },
  'electron/sample-service': { values: ['electron/shared', 'electron/core', 'electron/api'], types: [] },
  'electron/preload.ts': { values: ['electron/shared'], types: [] },
  renderer: { values: ['electron/shared'], types: [] },
};

/** The rule for a room that is not listed: a kind of job that needs only the code for durable jobs and its own rows. */
const OF_A_JOB_KIND = {
  values: ['electron/shared', 'electron/core', 'electron/jobs'],
  types: ['electron/db'],
};

const PARTS_THAT_COMPOSE = new Set([
  'electron/main.ts',
  'electron/first-window.ts',
  'electron/application.ts',
  'electron/engine',
  'electron/cli.ts',
  'electron/cli',
]);
const MAY_TOUCH_ELECTRON = [
  'electron/main.ts',
  'electron/first-window.ts',
  'electron/application.ts',
  'electron/preload.ts',
  'electron/ipc/',
  'electron/platform/',
];

const arrowText = ({ file, target }: Import) => `${file} -> ${target}`;

const files = [...sourceFiles('electron'), ...sourceFiles('renderer')];
const imports = files.flatMap(importsOf);
const elsewhere = [...sourceFiles('build'), ...sourceFiles('test')];
const everyImport = [...imports, ...elsewhere.flatMap(importsOf)];

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
      const rule = MAY_IMPORT[from] ?? OF_A_JOB_KIND;
      return !(rule.values.includes(to) || (isTypeOnly && rule.types.includes(to)));
    });
    expect(broken.map(arrowText)).toEqual([]);
  });

  test('only main, preload, ipc and platform import electron', () => {
    const broken = imports.filter(
      ({ file, target }) =>
        target === 'electron' && !MAY_TOUCH_ELECTRON.some((start) => file.startsWith(start)),
    );
    expect(broken.map(({ file }) => file)).toEqual([]);
  });

  test('schemas come from the module that builds them at their first use', () => {
    const others = imports.filter(({ target }) => target === 'zod' || target.startsWith('zod/'));
    expect([...new Set(others.map(({ file }) => file))]).toEqual(['electron/shared/zod.ts']);
  });

  test('the sample service and resources import only the endpoint table and its records from api', () => {
    const broken = imports.filter(
      ({ file, target, isTypeOnly }) =>
        /^electron\/(sample-service|resources)\//.test(file) &&
        !isTypeOnly &&
        target.startsWith('electron/api/') &&
        !['electron/api/endpoints.ts', 'electron/api/records.ts'].includes(target),
    );
    expect(broken).toEqual([]);
  });

  test('nothing else in the product imports the sample service or the Chromium host, nor the host the product', () => {
    const isApart = (path: string) => /^(electron\/sample-service|build\/chromium-host)\//.test(path);
    const isProduct = (path: string) => /^(electron|renderer)\//.test(path) && !isApart(path);
    expect(imports.filter(({ file, target }) => isProduct(file) && isApart(target)).map(arrowText)).toEqual(
      [],
    );
    const ofHost = everyImport.filter(({ file }) => file.startsWith('build/chromium-host/'));
    expect(ofHost.length).toBeGreaterThan(20);
    expect(ofHost.filter(({ target }) => isProduct(target)).map(arrowText)).toEqual([]);
  });

  test('a thread that may end with the program is released after its listener, which holds the program', () => {
    const starting = sourceFiles('electron').filter((file) => /new Worker\(/.test(textOf(file)));
    expect(starting.length).toBeGreaterThan(10);
    const broken = starting.filter((file) => {
      const text = textOf(file);
      const [released, listened] = [text.indexOf('.unref()'), text.search(/\.on(?:ce)?\('message'/)];
      return released >= 0 && released < listened;
    });
    expect(broken).toEqual([]);
  });

  test('preload and channels import nothing that a sandbox lacks', () => {
    expect(importsOf('electron/shared/channels.ts')).toEqual([]);
    expect(importsOf('electron/preload.ts').map(({ target }) => target)).toEqual([
      'electron',
      'electron/shared/channels.ts',
    ]);
  });

  test('in the window only state/toast.ts shows notices, which makes their texts safe', () => {
    const broken = sourceFiles('renderer').filter(
      (file) =>
        file !== 'renderer/state/toast.ts' && /\btoast\b[^}]*\} from 'svelte-sonner'/.test(textOf(file)),
    );
    expect(broken).toEqual([]);
  });

  test('in the window only lib/client.ts touches the bridge', () => {
    const broken = sourceFiles('renderer').filter(
      (file) => file !== 'renderer/lib/client.ts' && /window\.spandeck/.test(textOf(file)),
    );
    expect(broken).toEqual([]);
  });
});

describe('layers of the source', () => {
  /** The control for a list of texts contains a control for each text, so the component is recursive by design. */
  const RECURSIVE = [
    ['renderer/components/form/FormControl.svelte', 'renderer/components/form/ManyTexts.svelte'],
  ];

  test('no files import each other in a cycle, types included', () => {
    const isMeant = (path: string) => /^(electron|renderer|build|test\/helpers)\//.test(path);
    const arrows = everyImport
      .filter(({ file, target }) => isMeant(file) && isMeant(target))
      .map(({ file, target }) => ({ from: file, to: target }));
    expect(cyclesOf(arrows)).toEqual(RECURSIVE);
  });

  test('in the window lib is pure, state uses lib, components use both, views use all', () => {
    const LAYERS = ['lib', 'state', 'components', 'views'];
    const layer = (path: string) => LAYERS.indexOf(/^renderer\/(\w+)\//.exec(path)?.[1] ?? '');
    const broken = imports.filter(({ file, target }) => layer(file) >= 0 && layer(target) > layer(file));
    expect(broken.map(arrowText)).toEqual([]);
  });

  test('views of different subjects do not import each other in a cycle; shared parts are in views/parts', () => {
    const subject = (path: string) => /^renderer\/views\/([\w-]+)\//.exec(path)?.[1] ?? '';
    const arrows = imports
      .map(({ file, target }) => ({ from: subject(file), to: subject(target) }))
      .filter(({ from, to }) => from !== '' && to !== '' && from !== to);
    expect(cyclesOf(arrows)).toEqual([]);
    expect(arrows.filter(({ from }) => from === 'parts')).toEqual([]);
  });
});

describe('unused code', () => {
  /** Entry points that are started by path or by a computed name, or that exist only for the compiler. */
  const STARTED =
    /^(electron\/(main|preload|cli)\.ts|electron\/shared\/contract\.ts|build\/[^/]+$|build\/chromium-host\/(run|conforms)\.ts|build\/chromium-host\/page\/|renderer\/main\.ts|test\/)/;

  test('is not exported', () => {
    const own = [...files, ...sourceFiles('build')].filter((file) => !STARTED.test(file));
    expect(unusedExports(own, everyImport)).toEqual([]);
  });

  test('has no file', () => {
    const imported = new Set(everyImport.map(({ target }) => target));
    const texts = [...files, ...elsewhere].map((file) => ({ file, text: textOf(file) }));
    // Workers and scripts are started by file name.
    const isNamed = (file: string) =>
      texts.some((other) => other.file !== file && other.text.includes(`/${file.split('/').at(-1)}`));
    const own = [...files, ...sourceFiles('build')].filter((file) => !STARTED.test(file));
    expect(own.filter((file) => !imported.has(file) && !isNamed(file))).toEqual([]);
  });
});

describe('direct use of clock, random, fetch and timers', () => {
  const FORBIDDEN =
    /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bset(Timeout|Interval)\b|\bperformance\.now\b|\bfetch\(|\brandomUUID\b|timers\/promises/;
  const OWNERS = [
    'electron/platform/system.ts',
    // The sample service is a separate program and imports nothing from platform.
    'electron/sample-service/real-clock.ts',
  ];

  test('is only in the files that own them: all others receive them as parameters', () => {
    const broken = files.filter(
      (file) => file.startsWith('electron/') && FORBIDDEN.test(withoutComments(file)),
    );
    expect(broken.sort()).toEqual(OWNERS);
  });

  test('a store is opened in one place, which looks at its log', () => {
    const opens = files.filter(
      (file) =>
        /^electron\/(?!sample-service\/)/.test(file) && /\bnew \w*Sqlite\(/.test(withoutComments(file)),
    );
    // Two of these hold locks: one on the log of a store that is opened next, the other on files without content.
    expect(opens.sort()).toEqual([
      'electron/db/hold-log.ts',
      'electron/db/in-use.ts',
      'electron/db/open-file.ts',
    ]);
  });

  test('SQL is only in db, in analysis and in the sample service', () => {
    const SQL = /\b(SELECT\s.+\sFROM|INSERT\s+INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|CREATE\s+TABLE)\b/;
    const broken = files.filter(
      (file) =>
        !/^electron\/(db|analysis|sample-service)\//.test(file) &&
        // SQL that a user types, or that runs in a notebook of the user.
        ![
          'electron/cli/examples.ts',
          'electron/mirror/python-text.ts',
          'renderer/lib/notebook-code.ts',
        ].includes(file) &&
        SQL.test(withoutComments(file)),
    );
    expect(broken).toEqual([]);
  });
});

test('every file of the benchmarks exports run: without a name, all of them run', () => {
  const benches = sourceFiles('test/bench').filter((file) => file !== 'test/bench/run.ts');
  expect(benches.filter((file) => !/^export async function run\(/m.test(textOf(file)))).toEqual([]);
});
