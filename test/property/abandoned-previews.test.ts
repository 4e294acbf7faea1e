/**
 * Any interleaving of previews of files and builds, and a stop: a preview that nobody waits for ends at any stage, and
 * a stop leaves no request, timer, thread, lease or unfinished copy.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { STALL_LIMITS } from '../../electron/core/stall-watch.ts';
import { createDatasets } from '../../electron/datasets/datasets.ts';
import type { Datasets, DatasetsDeps } from '../../electron/datasets/types.ts';
import { openDatasetStore } from '../../electron/db/build-store.ts';
import { systemRandom } from '../../electron/platform/system.ts';
import { AppError } from '../../electron/shared/errors.ts';
import type { ItemsPlan } from '../../electron/shared/items-model.ts';
// Loaded in advance, because loading it when it is needed would take real time.
import '../../electron/uploads/sniff/sniff-bytes.ts';
import { createFileRegistry } from '../../electron/uploads/file-registry.ts';
import { readFileState } from '../../electron/uploads/file-state.ts';
import { createUnpackedCopies } from '../../electron/uploads/unpack/copies.ts';
import type { Unpacked } from '../../electron/uploads/unpack/unpack.ts';
import { createFileReader, type FileReader } from '../../electron/uploads/worker/file-reader.ts';
import type { runInWorker, UploadWorker } from '../../electron/uploads/worker/worker-client.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { drain, timed } from '../helpers/drain.ts';
import { runs } from '../helpers/runs.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

/** Maximum time in ms that an ending program waits for any part. */
const MAX_STOP_MS = 2_000;
/** Few runs, because each of them creates files. */
const RUNS = 300;
const MAX_RUNS = 5_000;

const folder = new DataFolder();
const FILES = { plain: folder.file('rows.csv'), packed: folder.file('rows.csv.gz') };
const store = openDatasetStore({
  ...{ file: folder.file('datasets.db'), clock: new VirtualClock(), logger: silentLogger },
});
let buildId = '';
beforeAll(async () => {
  writeFileSync(FILES.plain, 'id,name\n1,one\n');
  writeFileSync(FILES.packed, gzipSync('id,name\n1,one\n'));
  const { builds } = datasetsOver({ clock: new VirtualClock() });
  buildId = builds.create({ applicationId: 'a', applicationName: 'A', name: 'Picked' }).buildId;
  await builds.change(buildId, { target: { kind: 'existing', datasetId: 'd', name: 'D' } } as never);
});
afterAll(() => {
  store.close();
  folder[Symbol.dispose]();
});

function datasetsOver(parts: Partial<DatasetsDeps>): Datasets {
  return createDatasets({
    ...{ store, random: systemRandom, logger: silentLogger },
    ...{ process: { pid: process.pid, isRunning: () => true } },
    ...{ onBuildChanged: () => undefined, onRunChanged: () => undefined, onItemsChanged: () => undefined },
    ...{ plan: () => 0, blockingError: () => null },
    ...parts,
  } as unknown as DatasetsDeps);
}

/** Places at which a preview can hang: a reading thread, the thread of a copy, the service, a search. */
const PLACES = ['reader', 'unpack', 'schema', 'near-duplicates', null] as const;

const act = fc.record({
  kind: fc.constantFrom(
    ...(['inspect', 'inspect', 'members', 'span-file', 'items', 'new-keys'] as const),
    ...(['near-duplicates', 'mapping', 'suggest', 'rows', 'stop'] as const),
  ),
  file: fc.constantFrom('plain', 'packed'),
} as const);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

const UNPACKED: Unpacked = {
  ...{ notes: [], changes: [], leftOut: [] },
  ...{ sheet: null, sheets: [], layout: null },
};
const RESULTS: Readonly<Record<string, unknown>> = {
  inspect: { sizeBytes: 4, dialect: { format: 'csv' }, columns: [], notes: [] },
  items: { rows: 1, items: [], bad: [], fields: {}, end: null },
  'settle-items': { columns: [], newKeys: [] },
  hash: { sha256: '' },
  'check-spans': { rows: 1 },
};

let worlds = 0;

/** The previews of one window: its registry of files, and the builds of one connection. */
class World {
  readonly #scheduler: fc.Scheduler;
  readonly #hangsAt: (typeof PLACES)[number];
  readonly clock = new VirtualClock();
  readonly #copiesFolder: string;
  readonly #files: ReturnType<typeof createFileRegistry>;
  readonly #reader: FileReader;
  readonly #datasets: Datasets;
  /** Ends the reads of the session's library. */
  readonly #library = new AbortController();
  requests = 0;
  threads = 0;
  callers = 0;

  constructor(scheduler: fc.Scheduler, hangsAt: (typeof PLACES)[number]) {
    this.#scheduler = scheduler;
    this.#hangsAt = hangsAt;
    worlds += 1;
    this.#copiesFolder = folder.file(`copies-${worlds}`);
    mkdirSync(this.#copiesFolder);
    const { clock } = this;
    const copies = createUnpackedCopies({
      ...{ folder: this.#copiesFolder, clock, random: systemRandom, logger: silentLogger },
      ...{
        isKnown: () => true,
        needed: () => Promise.resolve({ paths: [], unreadOwners: [] }),
        stallLimits: STALL_LIMITS,
        parquetToJsonLines: () => Promise.reject(new Error()),
      },
      runInWorker: this.#unpack as typeof runInWorker,
    });
    this.#files = createFileRegistry({
      ...{ random: systemRandom, clock, copies },
      threads: { start: this.#start, endSpare: async () => undefined },
    });
    this.#reader = createFileReader(clock, this.#start);
    const { call } = this.#reader;
    this.#datasets = datasetsOver({
      clock,
      extractItems: (stretch) => call('items', stretch),
      hashFile: async (path) => (await call('hash', { path })).sha256,
      settleItems: (file) => call('settle-items', file),
      checkSpans: (file) => call('check-spans', file),
      readSchema: async () => {
        this.requests += 1;
        try {
          await this.#pending('schema', this.#library.signal);
          return {};
        } finally {
          this.requests -= 1;
        }
      },
      readableFile: async ({ fileId, dialect }) => {
        const { path } = await this.#files.readable(fileId, dialect);
        return { path, state: await readFileState(path) };
      },
      findNearDuplicates: async (_query, signal) => {
        this.threads += 1;
        try {
          await this.#pending('near-duplicates', signal);
          return [];
        } finally {
          this.threads -= 1;
        }
      },
    });
  }

  async wait(label: string): Promise<void> {
    await this.#scheduler.schedule(Promise.resolve(), label);
  }

  async #pending(place: string, signal: AbortSignal): Promise<void> {
    const ended = Promise.withResolvers<never>();
    const end = () => ended.reject(new AppError('CANCELLED', 'Ended.'));
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    const waits = this.#hangsAt === place ? new Promise<never>(() => undefined) : this.wait(place);
    await Promise.race([ended.promise, waits]);
  }

  readonly #start = (): UploadWorker => {
    const ending = new AbortController();
    this.threads += 1;
    const close = async () => {
      if (!ending.signal.aborted) this.threads -= 1;
      ending.abort();
    };
    return {
      call: async (operation) => {
        await this.#pending('reader', ending.signal);
        return RESULTS[operation] as never;
      },
      get hasEnded() {
        return ending.signal.aborted;
      },
      close,
      release: close,
    };
  };

  readonly #unpack = async (
    operation: string,
    input: { target?: string },
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<unknown> => {
    this.threads += 1;
    try {
      await this.#pending('unpack', signal ?? new AbortController().signal);
      if (input.target !== undefined) writeFileSync(input.target, 'id,name\n1,one\n');
      return operation === 'unpack' ? UNPACKED : { members: [], total: 0 };
    } finally {
      this.threads -= 1;
    }
  };

  async do(one: Act): Promise<void> {
    this.callers += 1;
    try {
      await this.#do(one);
    } finally {
      this.callers -= 1;
    }
  }

  async #do({ kind, file }: Act): Promise<void> {
    const { builds, items } = this.#datasets;
    if (kind === 'stop') return this.stop();
    if (kind === 'near-duplicates') return void (await builds.findNearDuplicates(buildId, 0.8));
    if (kind === 'mapping') return void (await builds.checkMapping(buildId, []));
    if (kind === 'suggest') return void (await builds.suggestMapping(buildId));
    const window = { mapping: null, show: 'all', offset: 0, limit: 10 } as const;
    if (kind === 'rows') return void builds.readRows(buildId, window);
    const [offered] = await this.#files.offer([FILES[file]]);
    const fileId = offered?.fileId ?? '';
    const dialect = { format: 'csv' };
    if (kind === 'inspect') await this.#files.inspect(fileId, null);
    if (kind === 'members') await this.#files.readable(fileId, null);
    if (kind === 'span-file') await builds.checkFile({ fileId, dialect, readings: [] } as never);
    const columns = [{ source: 'id', place: 'inputs', field: 'id' }];
    const plan = { fileId, dialect, columns, datasetId: 'd', fileName: 'rows', itemsPerRequest: 10 };
    if (kind === 'items') await items.check(plan as unknown as ItemsPlan);
    if (kind === 'new-keys') await items.newKeys({ ...plan, dialect: { format: 'json' } } as never);
  }

  /** In the order of the engine: first its sessions, then its files. */
  async stop(): Promise<void> {
    await this.#datasets.stop(0);
    await this.#reader.stop();
    this.#library.abort();
    await this.#files.stop();
  }

  left() {
    const unfinished = readdirSync(this.#copiesFolder).filter((name) => name.endsWith('.part'));
    const { requests, threads, callers, clock } = this;
    const isHeld = store.builds.leases.read(buildId) !== null;
    return { requests, threads, callers, timers: clock.pending, isHeld, unfinished };
  }
}

/** Codes of expected errors: a preview that was ended, or one of a build that another preview changes. */
const EXPECTED = new Set(['CANCELLED', 'CONFLICT']);
const isExpected = (thrown: unknown) => thrown instanceof AppError && EXPECTED.has(thrown.code);

test('previews end with their connection and window, within two seconds, and leave nothing', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(act, { minLength: 2, maxLength: 10 }),
      fc.constantFrom(...PLACES),
      fc.nat({ max: 50 }),
      async (scheduler, acts, hangsAt, tasks) => {
        const world = new World(scheduler, hangsAt);
        const unexpected: unknown[] = [];
        const running = acts.map(async (one) => {
          await world.wait(one.kind);
          await world.do(one).catch((thrown: unknown) => {
            if (!isExpected(thrown)) unexpected.push(thrown);
          });
        });
        await drain(scheduler, tasks);
        const stopMs = await timed(scheduler, world.clock, world.stop());
        await timed(scheduler, world.clock, Promise.all(running));
        expect({ ...world.left(), unexpected }).toEqual({
          ...{
            requests: 0,
            threads: 0,
            callers: 0,
            timers: 0,
            isHeld: false,
            unfinished: [],
            unexpected: [],
          },
        });
        expect(stopMs).toBeLessThanOrEqual(MAX_STOP_MS);
      },
    ),
    { numRuns: runs(RUNS, MAX_RUNS) },
  );
});
