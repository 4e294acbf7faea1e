/**
 * Any interleaving of checks of files, their cancellation and a stop: a cancelled check ends at once, and leaves no
 * request and no thread.
 */
import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { StoredScan } from '../../electron/db/upload-store.ts';
import { systemRandom } from '../../electron/platform/system.ts';
import { AppError } from '../../electron/shared/errors.ts';
import type { UploadPlan } from '../../electron/shared/upload-model.ts';
import { Scans } from '../../electron/uploads/scans.ts';
import type { ScanResult } from '../../electron/uploads/validate/scan-file.ts';
import type { UploadWorker } from '../../electron/uploads/worker/worker-client.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { drain } from '../helpers/drain.ts';
import { runs } from '../helpers/runs.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const folder = new DataFolder();
const path = folder.file('rows.csv');
writeFileSync(path, 'a\n1\n');
afterAll(() => folder[Symbol.dispose]());

const PLAN = { columns: [], dialect: {}, mode: 'create', onBadRow: 'skip' } as unknown as UploadPlan;
const RESULT = { readBytes: 4, rows: 1, columns: [], notes: [], spool: null } as unknown as ScanResult;

const act = fc.record({
  kind: fc.constantFrom('start', 'start', 'cancel', 'stop'),
  /** The service does not answer, or the thread makes no progress. */
  hangs: fc.constantFrom('service', 'thread', null),
  which: fc.nat(),
});
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

class World {
  readonly #scheduler: fc.Scheduler;
  readonly #scans: Scans;
  readonly #rows = new Map<string, StoredScan>();
  readonly #ids: string[] = [];
  requests = 0;
  threads = 0;
  hasStopped = false;
  lateWrites = 0;

  constructor(scheduler: fc.Scheduler) {
    this.#scheduler = scheduler;
    const scans = {
      prune: () => undefined,
      get: (id: string) => this.#rows.get(id) ?? null,
      save: (scan: StoredScan) => {
        if (this.hasStopped) this.lateWrites += 1;
        this.#rows.set(scan.scanId, scan);
      },
      listBadRows: () => [],
    };
    this.#scans = new Scans({
      store: { scans, commit: (work: () => void) => work() },
      spools: { open: () => this.wait('spool').then(() => null), discard: () => undefined },
      ...{ clock: new VirtualClock(), random: systemRandom, logger: silentLogger },
      plan: () => 0,
      onDryRunChanged: () => undefined,
      sentBefore: () => [],
    } as unknown as ConstructorParameters<typeof Scans>[0]);
  }

  async wait(label: string): Promise<void> {
    await this.#scheduler.schedule(Promise.resolve(), label);
  }

  async #pending(hangs: boolean, signal: AbortSignal, label: string): Promise<void> {
    const aborted = Promise.withResolvers<never>();
    const end = () => aborted.reject(new AppError('CANCELLED', 'Called off.'));
    if (signal.aborted) end();
    signal.addEventListener('abort', end);
    await Promise.race([aborted.promise, hangs ? new Promise(() => undefined) : this.wait(label)]);
  }

  #worker(hangs: boolean): UploadWorker {
    const ending = new AbortController();
    const call = async () => {
      this.threads += 1;
      try {
        await this.#pending(hangs, ending.signal, 'thread');
        return RESULT as never;
      } finally {
        this.threads -= 1;
      }
    };
    const close = async () => ending.abort();
    return { call, hasEnded: false, close, release: close };
  }

  async #start({ hangs }: Act): Promise<void> {
    const { scanId, done } = await this.#scans.start({
      ...{ path, plan: PLAN, worker: this.#worker(hangs === 'thread') },
      readModel: async (signal) => {
        this.requests += 1;
        try {
          await this.#pending(hangs === 'service', signal, 'model');
          return { model: null, note: null };
        } finally {
          this.requests -= 1;
        }
      },
    });
    this.#ids.push(scanId);
    await done;
  }

  async do(one: Act): Promise<void> {
    if (one.kind === 'start') await this.#start(one);
    if (one.kind === 'stop') await this.stop();
    const id = this.#ids[one.which % Math.max(1, this.#ids.length)];
    if (one.kind === 'cancel' && id !== undefined) {
      const { phase } = await this.#scans.cancel(id);
      if (phase === 'running') throw new Error('A check that was called off is still running.');
    }
  }

  async stop(): Promise<void> {
    await this.#scans.stop();
    this.hasStopped = true;
  }
}

test('checks that are cancelled, or ended by their connection, end without waiting for their service and their thread', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(act, { minLength: 2, maxLength: 10 }),
      async (scheduler, acts) => {
        const world = new World(scheduler);
        const unexpected: unknown[] = [];
        const running = acts.map(async (one) => {
          await world.wait(one.kind);
          await world.do(one).catch((thrown: unknown) => {
            if (!(thrown instanceof AppError && thrown.code === 'CANCELLED')) unexpected.push(thrown);
          });
        });
        await drain(scheduler);
        const state = { hasEnded: false };
        const stopping = world.stop().then(() => {
          state.hasEnded = true;
        });
        await drain(scheduler);
        expect(state.hasEnded).toBe(true);
        await Promise.all([stopping, ...running]);
        const { requests, threads, lateWrites } = world;
        expect({ requests, threads, lateWrites, unexpected }).toEqual({
          ...{ requests: 0, threads: 0, lateWrites: 0, unexpected: [] },
        });
      },
    ),
    { numRuns: runs(1_000, 5_000) },
  );
});
