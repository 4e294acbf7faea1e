/** Packs copy the chosen data row for row to another data folder, nothing else, and nothing in part. */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { toItemRow } from '../../electron/api/item-row.ts';
import { createPackTarget, openPackSource, type PackedList } from '../../electron/db/pack-store.ts';
import { manifestOf, PackSelection, packLines, takePack } from '../../electron/engine/pack-content.ts';
import { keyOf } from '../../electron/library/list-query.ts';
import { openPack } from '../../electron/pack/pack-file.ts';
import { systemClock } from '../../electron/platform/system.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import type { PackChoice } from '../../electron/shared/pack-model.ts';
import type { SavedView } from '../../electron/shared/saved-view.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { draft, ENGINE_TOKEN, EngineRig } from '../helpers/engine-rig.ts';
import { runs } from '../helpers/runs.ts';
import { silentLogger as logger } from '../helpers/virtual-world.ts';

const ASKED = { kind: null, applicationId: null, sinceMs: null, untilMs: null, offset: 0, limit: 5 };
const PASSPHRASE = 'correct horse battery staple';
const [A, B] = ['aaaaaaaa-0000-4000-8000-000000000001', 'bbbbbbbb-0000-4000-8000-000000000002'];
const [X, Y] = ['cccccccc-0000-4000-8000-000000000005', 'ffffffff-0000-4000-8000-000000000006'];
const [D, E] = ['dddddddd-0000-4000-8000-000000000003', 'eeeeeeee-0000-4000-8000-000000000004'];
const CHOICE: PackChoice = {
  applications: [A],
  datasets: [D],
  experiments: [X],
  charts: ['c1'],
  views: ['v1', 'v2', 'v3', 'v4'],
  redact: [],
};

const query = (operation: string, path = {}, rest: Partial<ListQuery> = {}): ListQuery => ({
  operation,
  path,
  query: {},
  ...rest,
});
const spans = (id: string) =>
  query('spans.query', {}, { body: { application_id: id, start_time: '2026-05-01' } });
const LONG = 'long text '.repeat(20_000);

type Rows = Record<string, unknown>[];
/** Stored data of two applications and two datasets, each with different content. */
const STORED: [ListQuery, Rows][] = [
  [
    query('applications.list'),
    [
      { id: A, name: 'Support' },
      { id: B, name: 'Private' },
    ],
  ],
  [
    query('datasets.list'),
    [
      { id: D, name: 'Cases', application: { id: B } },
      { id: E, name: 'Hidden set' },
    ],
  ],
  [
    query('catalog.list', { application_id: A }),
    [{ name: 'country', data_type: 'string' }, { name: 'user.id' }],
  ],
  [query('catalog.list', { application_id: B }), [{ name: 'private_entity' }]],
  [
    query('catalog.values', { application_id: A }, { query: { entity_type: 'attribute', name: 'user.id' } }),
    [{ value: 'alice@example.com' }, { value: 'bob@example.com' }],
  ],
  [
    spans(A),
    [
      {
        span_id: 's1',
        trace_id: 't',
        input: 'My card number is 4111',
        attributes: { 'user.id': 'alice@example.com' },
      },
      { span_id: 's2', trace_id: 't', input: 'Hello', output: LONG, n: 12 },
    ],
  ],
  [spans(B), [{ span_id: 's9', input: 'private question' }]],
  [
    query('datasets.items', { dataset_id: D }),
    [{ id: 'i1', inputs: { question: 'My card number is 4111' }, source: B }],
  ],
  [query('datasets.items', { dataset_id: E }), [{ id: 'i9', inputs: { question: 'hidden item' } }]],
  [
    query('experiments.list'),
    [
      { id: X, name: 'Prompt v2', dataset: { id: D } },
      { id: Y, name: 'Hidden run', dataset: { id: E } },
    ],
  ],
  [
    query('experiments.results', { experiment_id: X }),
    [
      { experiment_item: { id: 'r1', outputs: { answer: 'Within two days.' } }, scores: [] },
      {
        experiment_item: { id: 'r2', outputs: { answer: 'No.' } },
        gone_at_service: '2026-11-28T18:00:00.000Z',
      },
    ],
  ],
  [query('experiments.results', { experiment_id: Y }), [{ experiment_item: { id: 'r9' } }]],
  [query('models.list'), [{ id: 'm', name: 'other model' }]],
];
const CHART = {
  id: 'c1',
  name: 'Chosen',
  body: { application_id: A, metric: 'm' },
  about: '',
  right: [],
  savedAtMs: 1,
};
/** A saved view of spans of an application. */
const viewOf = (id: string, applicationId: string, filter = '{}'): SavedView => ({
  ...{ id, name: `View ${id}`, isStarred: false, savedAtMs: 1, kind: 'spans', title: 'Spans', grid: null },
  params: { applicationId, filter },
});
const VIEWS = [viewOf('v1', A), viewOf('v2', B), viewOf('v3', A, `{"application":"${B}"}`), viewOf('v5', A)];
const LAYOUT = {
  charts: { list: [CHART, { ...CHART, id: 'c2', name: 'Other chart' }] },
  views: VIEWS,
  tabs: { list: [] },
};

function store(file: string, connectionId: string, lists: readonly [ListQuery, Rows][]): void {
  const target = createPackTarget({ file, clock: systemClock, logger });
  for (const [of, rows] of lists) {
    target.list(keyOf(connectionId, of), facts(of, rows.length));
    for (const [position, row] of rows.entries()) target.row({ position, ...toItemRow(row, null) });
  }
  const record = query('applications.get', { application_id: A });
  target.record(
    keyOf(connectionId, record),
    record,
    6,
    toItemRow({ id: A, name: 'Support', kind: 'GENAI' }, null),
  );
  target.end();
  target.close();
}

const facts = (of: ListQuery, rows: number): PackedList => ({
  query: of,
  totalRows: rows,
  rowCount: rows,
  frontPosition: rows,
  isComplete: true,
  hasMoved: false,
  oldestMs: 5,
  newestMs: 7,
});

function contentOf(file: string): [string, string[]][] {
  const source = openPackSource({ file, clock: systemClock, logger });
  const content = source
    .lists()
    .map(({ query: of, generationId }): [string, string[]] => [
      JSON.stringify(of),
      [...source.rows(generationId)].map(({ position, record }) => `${position} ${record}`),
    ]);
  source.close();
  return content.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

let rig: EngineRig;
let other: EngineRig;
let files: DataFolder;
beforeEach(async () => {
  rig = await EngineRig.open();
  other = await EngineRig.open();
  files = new DataFolder();
});
afterEach(async () => {
  await rig.close();
  await other.close();
  files[Symbol.dispose]();
});

async function source(): Promise<string> {
  const { id } = await rig.engine.connections.save(draft(rig.server.baseUrl), ENGINE_TOKEN);
  mkdirSync(rig.paths.connectionDir(id), { recursive: true });
  store(rig.paths.libraryDb(id), id, STORED);
  writeFileSync(rig.paths.layoutFile(id), JSON.stringify(LAYOUT));
  return id;
}

async function plainText(file: string): Promise<string> {
  const reader = await openPack(file, PASSPHRASE);
  reader.mayHold(50_000_000);
  const lines: string[] = [];
  for await (const line of reader.lines()) lines.push(line);
  return lines.join('\n');
}

test('chosen data is there row for row in another data folder, without a token, and nothing can be sent', async () => {
  const id = await source();
  const file = files.file('a.pack');
  const made = await rig.engine.packs.create(id, CHOICE, file, PASSPHRASE);
  expect(made.manifest).toMatchObject({ rows: 12, records: 1, oldestMs: 5, newestMs: 7 });
  const opened = await other.engine.packs.open(file, PASSPHRASE);
  expect(opened).toMatchObject({
    kind: 'pack',
    isReadOnly: true,
    tokenHint: null,
    pack: { fileName: 'a.pack', oldestMs: 5, newestMs: 7, redact: [] },
  });
  const there = new Map(contentOf(other.paths.libraryDb(opened.id)));
  for (const [of, rows] of STORED) {
    const found = there.get(JSON.stringify(of));
    const isChosen = !/bbbbbbbb|eeeeeeee|ffffffff|models/.test(JSON.stringify(of));
    if (!isChosen) expect(found, JSON.stringify(of)).toBeUndefined();
    else if (!/applications.list|datasets.list|datasets.items|experiments.list/.test(of.operation)) {
      expect(found).toEqual(rows.map((row, at) => `${at} ${JSON.stringify(row)}`));
    }
  }
  expect(there.get(JSON.stringify(query('applications.list')))).toEqual([
    `0 ${JSON.stringify({ id: A, name: 'Support' })}`,
  ]);

  expect(there.get(JSON.stringify(query('experiments.list')))).toEqual([
    `0 ${JSON.stringify({ id: X, name: 'Prompt v2', dataset: { id: D } })}`,
  ]);
  expect(made.manifest.experiments).toEqual([{ id: X, name: 'Prompt v2' }]);

  const session = await other.engine.session(opened.id);
  // The mark on rows that no longer exist at the service is packed too.
  const results = await session.library.openList({
    ...{ viewId: 'r', query: query('experiments.results', { experiment_id: X }), refresh: 'never' },
  });
  expect(results.freshness).toMatchObject({ storedRows: 2, goneRows: 1, isComplete: true });
  const state = await session.library.openList({ viewId: 'v', query: spans(A), refresh: 'always' });
  expect(state.freshness).toMatchObject({ storedRows: 2, isComplete: true, newestMs: 7 });
  // Only the chosen view is in the pack, as it is about packed data. The others name another application.
  expect(session.layout.read()).toEqual({ charts: { list: [CHART] }, views: [viewOf('v1', A)] });
  expect(made.manifest.views).toEqual([{ id: 'v1', name: 'View v1' }]);
  const found = async () => JSON.stringify(await session.search.find({ ...ASKED, typed: 'card number' }));
  await expect.poll(found, { timeout: 20_000 }).toContain('s1');
  // No request is sent, for reads and changes alike, whatever the offline switch says.
  await other.engine.setOffline(false);
  await expect(
    session.client.call('applications.delete', { path: { application_id: A } }, { priority: 'click' }),
  ).rejects.toMatchObject({ code: 'READ_ONLY', message: expect.stringContaining('is a pack') });
  await expect(session.client.list('applications.list', {}, { priority: 'click' })).rejects.toMatchObject({
    code: 'OFFLINE',
  });
  expect([...rig.server.received, ...other.server.received]).toEqual([]);
  // The connection remains a pack, whatever a form says.
  const { kind: _, createdAtMs: __, tokenHint: ___, pack: ____, ...form } = opened;
  const saved = await other.engine.connections.save({ ...form, name: 'Mine', isReadOnly: false }, null);
  expect(saved).toMatchObject({ name: 'Mine', kind: 'pack', isReadOnly: true, pack: opened.pack });
  await expect(other.engine.connections.save(form, 'some-token-0123456789')).rejects.toMatchObject({
    message: expect.stringContaining('takes no token'),
  });
});

test('no token, no address, nothing unchosen in the content; nothing readable in the file', async () => {
  const id = await source();
  const file = files.file('a.pack');
  await rig.engine.packs.create(id, CHOICE, file, PASSPHRASE);
  const plain = await plainText(file);
  const bytes = readFileSync(file).toString('latin1');
  for (const secret of [
    ENGINE_TOKEN,
    rig.server.baseUrl,
    '127.0.0.1',
    id,
    B,
    E,
    'Private',
    'private',
    'hidden',
    'Hidden set',
    'other model',
    'Other chart',
  ]) {
    expect(plain, secret).not.toContain(secret);
  }
  for (const known of ['Support', 'country', 'alice', 'spans.query', A, D, PASSPHRASE])
    expect(bytes).not.toContain(known);
  expect(plain).toContain('alice@example.com');
});

test('masked fields are masked in every copy: rows, values of the attribute, items made of them, the search', async () => {
  const id = await source();
  const file = files.file('a.pack');
  const choice = { ...CHOICE, redact: ['input', 'attributes.user.*', 'user.id'] };
  const plan = await rig.engine.packs.plan(id, choice);
  expect(plan.fields.find(({ path }) => path === 'input')).toMatchObject({ isMasked: true });
  expect(plan.fields.find(({ path }) => path === 'span_id')).toMatchObject({ isMasked: false });
  await rig.engine.packs.create(id, choice, file, PASSPHRASE);
  const plain = await plainText(file);
  for (const secret of ['4111', 'Hello', 'alice', 'bob@']) expect(plain, secret).not.toContain(secret);
  expect(plain).toContain('s1');
  const opened = await other.engine.packs.open(file, PASSPHRASE);
  const { search } = await other.engine.session(opened.id);
  const found = await search.find({ ...ASKED, typed: 'alice' });
  expect(found.groups.flatMap(({ hits }) => hits)).toEqual([]);
  // Two values that are masked are still two rows.
  const values = contentOf(other.paths.libraryDb(opened.id)).find(([of]) => of.includes('catalog.values'));
  expect(values?.[1]).toHaveLength(2);
});

test('an invalid pack leaves no connection and no file', async () => {
  const id = await source();
  const file = files.file('a.pack');
  await rig.engine.packs.create(id, CHOICE, file, PASSPHRASE);
  const before = readdirSync(other.paths.dataDir, { recursive: true })
    .map(String)
    .filter((name) => name.includes('connections'));
  await expect(other.engine.packs.open(file, 'not this passphrase')).rejects.toMatchObject({
    code: 'PASSPHRASE_WRONG',
  });
  truncateSync(file, statSync(file).size - 40);
  await expect(other.engine.packs.open(file, PASSPHRASE)).rejects.toMatchObject({ code: 'FILE_MALFORMED' });
  await expect(other.engine.packs.open(files.file('none.pack'), PASSPHRASE)).rejects.toMatchObject({
    code: 'FILE_NOT_FOUND',
  });
  const cancelled = other.engine.packs.open(file, PASSPHRASE);
  await other.engine.packs.cancel();
  await expect(cancelled).rejects.toBeDefined();
  expect(other.engine.connections.list().connections).toEqual([]);
  const after = readdirSync(other.paths.dataDir, { recursive: true })
    .map(String)
    .filter((name) => name.includes('connections/'));
  expect(after).toEqual(before.filter((name) => name.includes('connections/')));
  await expect(rig.engine.packs.create(id, CHOICE, file, 'short')).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
  });
  await expect(
    rig.engine.packs.create(
      id,
      { ...CHOICE, applications: [], datasets: [], experiments: [], charts: [], views: [] },
      file,
      PASSPHRASE,
    ),
  ).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
  });
});

test('a cancelled export leaves no file and no part of one; after a kill the next start removes it', async () => {
  const id = await source();
  const file = files.file('new.pack');
  const making = rig.engine.packs.create(id, CHOICE, file, PASSPHRASE);
  await rig.engine.packs.cancel();
  await expect(making).rejects.toBeDefined();
  expect(readdirSync(files.path)).toEqual([]);
  const notes = () => readdirSync(rig.paths.dataDir).filter((name) => name.endsWith('.unfinished'));
  expect(notes()).toEqual([]);
  // The files that a killed process leaves, and a note that names a file that is not part of a pack.
  const part = files.file('.new.pack.4194303.part');
  const own = files.file('letter.txt');
  for (const [name, names] of [
    ['pack-4194303-a.unfinished', part],
    ['pack-4194303-b.unfinished', own],
  ] as const) {
    writeFileSync(names, 'half');
    writeFileSync(resolve(rig.paths.dataDir, name), names);
  }
  await rig.engine.stop();
  rig.start();
  await expect.poll(notes).toEqual([]);
  expect(readdirSync(files.path)).toEqual(['letter.txt']);
});

test('a killed opening leaves nothing that the next start does not remove', async () => {
  const id = await source();
  const file = files.file('a.pack');
  await rig.engine.packs.create(id, CHOICE, file, PASSPHRASE);
  const child = spawn(
    process.execPath,
    [
      resolve(import.meta.dirname, '../../dist/cli.js'),
      'pack',
      'open',
      file,
      '--data-dir',
      other.paths.dataDir,
    ],
    {
      env: {
        ...process.env,
        SPANDECK_PASSPHRASE: PASSPHRASE,
        DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
      },
      stdio: 'ignore',
    },
  );
  const ended = new Promise((settle) => child.once('exit', settle));
  const opening = () => {
    try {
      return readdirSync(other.paths.connectionsDir).some((name) => name.endsWith('.opening'));
    } catch {
      return false;
    }
  };
  await expect.poll(opening, { timeout: 60_000, interval: 5 }).toBe(true);
  child.kill('SIGKILL');
  await ended;
  await other.engine.stop();
  other.start();
  const left = () => readdirSync(other.paths.connectionsDir).length;
  await expect.poll(left).toBe(other.engine.connections.list().connections.length);
});

const id = fc.constantFrom(A, B, D, E);
const anyList = fc.record({
  operation: fc.constantFrom(
    'catalog.list',
    'catalog.values',
    'datasets.items',
    'spans.query',
    'attributes.list',
  ),
  id,
  rows: fc.array(
    fc.dictionary(
      fc.constantFrom('name', 'value', 'input', 'x'),
      fc.oneof(fc.string(), fc.integer(), fc.constant(null)),
    ),
    {
      maxLength: 6,
    },
  ),
  search: fc.option(fc.string({ minLength: 1, maxLength: 3 })),
});

test('property: a pack contains exactly the lists of the chosen data, and each row unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(anyList, {
        selector: (each) =>
          `${each.operation} ${each.operation === 'attributes.list' ? each.id === A || each.id === D : each.id} ${each.search}`,
      }),
      async (all) => {
        using folder = new DataFolder();
        const lists = all.map(({ operation, id: any, rows, search }): [ListQuery, Rows] => {
          // Attributes belong to applications.
          const of = operation === 'attributes.list' ? (any === A || any === D ? A : B) : any;
          const path: Record<string, string> = operation.startsWith('catalog')
            ? { application_id: of }
            : operation === 'datasets.items'
              ? { dataset_id: of }
              : {};
          const asked: Record<string, string> = {
            ...(search === null || search === '' ? {} : { search }),
            ...(operation === 'attributes.list'
              ? { filter: JSON.stringify({ rules: [{ value: of }] }) }
              : {}),
          };
          const base = { operation, path, query: asked };
          return [
            operation === 'spans.query' ? { ...base, body: { application_id: of } } : base,
            operation === 'attributes.list' ? rows.map((row) => ({ ...row, application_id: of })) : rows,
          ];
        });
        store(folder.file('library.db'), 'one', [...STORED.slice(0, 2), ...lists]);
        const from = openPackSource({ file: folder.file('library.db'), clock: systemClock, logger });
        const choice = {
          applications: [A],
          datasets: [D],
          experiments: [],
          charts: [],
          views: [],
          redact: [],
        };
        const selection = new PackSelection(from, {}, choice);
        const options = { name: 'p', nowMs: 1, onManifest: () => undefined, onShare: () => undefined };
        const lines = [...packLines(selection, choice, options)];
        from.close();
        const target = createPackTarget({ file: folder.file('opened.db'), clock: systemClock, logger });
        const rest = (async function* () {
          yield* lines.slice(1);
        })();
        await takePack(rest, manifestOf(lines[0]), 'two', target, () => undefined);
        target.close();
        const expected = lists
          .filter(([of]) => {
            const text = JSON.stringify(of);
            return (text.includes(A) || text.includes(D)) && of.query['search'] === undefined;
          })
          .map(([of, rows]): [string, string[]] => [
            JSON.stringify(of),
            rows.map((row, at) => `${at} ${JSON.stringify(row)}`),
          ]);
        const found = contentOf(folder.file('opened.db')).filter(
          ([of]) => !/applications.list|datasets.list/.test(of),
        );
        expect(found).toEqual(expected.toSorted(([a], [b]) => (a < b ? -1 : 1)));
      },
    ),
    { numRuns: runs(15) },
  );
});
