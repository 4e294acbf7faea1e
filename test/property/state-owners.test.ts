/**
 * Any interleaving of actions, answers and evidence: only the current owner writes a state, and it never reverts to an
 * older one.
 */
import { readFileSync } from 'node:fs';
import BetterSqlite from 'better-sqlite3';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createUploadStore,
  type StoredOutboxEntry,
  type UploadStore,
} from '../../electron/db/upload-store.ts';
import type { Outbox } from '../../electron/outbox/types.ts';
import { systemRandom } from '../../electron/platform/system.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { isOutboxOver } from '../../electron/shared/outbox-model.ts';
import type { UploadJob } from '../../electron/shared/upload-model.ts';
import type { FileRegistry, Uploads } from '../../electron/uploads/types.ts';
import { createUploads } from '../../electron/uploads/uploads.ts';
import { drain, timed } from '../helpers/drain.ts';
import { madeUpClient, notAsked } from '../helpers/made-up-client.ts';
import { type Fate, ModelService, OutboxWorld, uuid } from '../helpers/outbox-model.ts';
import { runs } from '../helpers/runs.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { publishFault, UploadRig } from '../helpers/upload-rig.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const RUNS = 1_000;
const MAX_RUNS = 5_000;
/** Code of the expected errors: an action that is impossible now. */
const EXPECTED = new Set(['INVALID_ARGUMENT', 'CONFLICT', 'CANCELLED', 'NOT_FOUND']);
const isExpected = (thrown: unknown) => thrown instanceof AppError && EXPECTED.has(thrown.code);

/** Starts all actions at moments that the scheduler chooses. Returns the unexpected errors. */
async function play<Act>(
  scheduler: fc.Scheduler,
  acts: readonly Act[],
  perform: (act: Act) => unknown,
): Promise<unknown[]> {
  const unexpected: unknown[] = [];
  for (const act of acts)
    scheduler.schedule(Promise.resolve(), 'act').then(async () => {
      try {
        await perform(act);
      } catch (thrown) {
        if (!isExpected(thrown)) unexpected.push(thrown);
      }
    });
  await drain(scheduler);
  return unexpected;
}

/**
 * Uploads that wait for decisions, as a real one left them: three batches are acknowledged, and three have no answer.
 */
let db: BetterSqlite.Database;
let store: UploadStore;
let jobId = '';
afterAll(() => db.close());
beforeAll(async () => {
  const raw = await RawService.start({});
  try {
    await using rig = new UploadRig({ baseUrl: raw.service.baseUrl, token: TOKEN, haste: 100 });
    raw.service.setFaults([publishFault({ type: 'drop-after' }, { after: 3, times: 3 })]);
    const rows = Array.from({ length: 60 }, (_none, at) => `e-${at},2025-01-01 00:00:${at % 60}`);
    const file = rig.write('a.csv', ['transaction_id,processed_at', ...rows].join('\n'));
    const job = await rig.send(file, 'Card fraud', { batchRows: 10 });
    jobId = job.jobId;
    await rig.uploads.stop(0);
    const copy = rig.path('copy.db');
    await new BetterSqlite(rig.path('uploads.db')).backup(copy);
    // A store in memory has no write-ahead log.
    const copied = new BetterSqlite(copy);
    copied.pragma('journal_mode = DELETE');
    copied.close();
    db = new BetterSqlite(readFileSync(copy));
    store = createUploadStore(db);
  } finally {
    await raw.service.stop();
  }
});

/** All worlds share one store, because opening one takes longer than a run. Each world undoes its changes. */
class UploadWorld implements Disposable {
  readonly clock = new VirtualClock();
  readonly uploads: Uploads;
  told: UploadJob | null = null;

  constructor(scheduler: fc.Scheduler, count: () => number) {
    const wait = () => scheduler.schedule(Promise.resolve(), 'answer');
    const { clock } = this;
    db.exec('BEGIN');
    this.uploads = createUploads({
      ...{ connectionId: 'c', store, clock, random: systemRandom, logger: silentLogger },
      client: madeUpClient({
        call: async () => {
          await wait();
          return {};
        },
        list: async () => {
          await wait();
          return [{ type: 'PRODUCTION', row_count: count() }];
        },
        rows: notAsked,
      }),
      files: { keep: () => undefined } as unknown as FileRegistry,
      ...{ spoolFolder: '', plan: () => 0, followJob: () => () => undefined },
      readBudget: () => ({ usedToday: 0, limit: 30, resetsAtMs: null }),
      onJobChanged: (job) => {
        this.told = job;
      },
      ...{
        onDryRunChanged: () => undefined,
        onDeletionChanged: () => undefined,
        onWholeFileChanged: () => undefined,
      },
      blockingError: () => null,
      options: { evidenceSettleMs: 0, countPauseMs: 0 },
    });
  }

  [Symbol.dispose](): void {
    db.exec('ROLLBACK');
  }
}

const uploadAct = fc.record({
  kind: fc.constantFrom(
    'gather-evidence',
    'gather-evidence',
    'decide',
    'decide',
    'pause',
    'cancel',
    'undo',
    'forget',
  ),
  batch: fc.integer({ min: 1, max: 6 }),
  decision: fc.constantFrom('stored', 'give-up'),
} as const);

test('late evidence changes no decision, no final state and no count of an upload', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(uploadAct, { minLength: 2, maxLength: 10 }),
      fc.array(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 4 }),
      async (scheduler, acts, counts) => {
        let asked = 0;
        using world = new UploadWorld(scheduler, () => counts[asked++ % counts.length] ?? 0);
        const { uploads } = world;
        const decided = new Map<number, string>();
        let end: string | null = null;
        let isForgotten = false;
        const unexpected = await play(scheduler, acts, async ({ kind, batch, decision }) => {
          if (kind === 'decide') {
            await uploads.decideBatch(jobId, batch, decision);
            decided.set(batch, decision === 'stored' ? 'acknowledged' : 'cancelled');
          } else if (kind === 'forget') {
            uploads.forgetJob(jobId);
            isForgotten = true;
          } else if (kind === 'undo') {
            const { events, deletions } = await uploads.planUndo(jobId);
            await uploads.undo(jobId, { events, deletions: deletions.length });
          } else await uploads.controlJob(jobId, kind);
          const { state, endedAtMs } = store.jobs.get(jobId) ?? { state: 'removed', endedAtMs: 0 };
          if (endedAtMs !== null && !isForgotten) end ??= state;
        });
        await timed(scheduler, world.clock, uploads.stop());
        expect(unexpected).toEqual([]);
        const stored = store.jobs.get(jobId);
        expect(stored === null).toBe(isForgotten);
        if (stored === null) return;
        for (const [batch, state] of decided) expect(store.batches.get(jobId, batch)?.state).toBe(state);
        if (end !== null) expect(stored.state).toBe(end);
        const { counts: told } = uploads.getJob(jobId);
        const rowsIn = (state: 'acknowledged' | 'unknown' | 'cancelled') =>
          store.batches.list(jobId, [state], 0, 10).reduce((sum, { rows }) => sum + rows, 0);
        expect(told).toMatchObject({ acknowledged: rowsIn('acknowledged'), unknown: rowsIn('unknown') });
        if (world.told !== null) expect(world.told.state).toBe(stored.state);
      },
    ),
    { numRuns: runs(RUNS, MAX_RUNS) },
  );
});

const FATES = [
  'ok',
  'ok',
  'ok',
  'lost after',
  'lost on the way',
  'not sent',
  'busy',
  'refused',
] as const satisfies readonly Fate[];
const RULE = uuid(1);

const outboxAct = fc.record({
  kind: fc.constantFrom(
    ...(['change', 'create', 'send', 'send', 'send all', 'send all', 'discard', 'restore'] as const),
    ...(['edit', 'decide', 'schedule', 'unschedule', 'suspend', 'wake', 'time', 'others'] as const),
  ),
  which: fc.nat({ max: 5 }),
  value: fc.integer({ min: 1, max: 9 }),
  decision: fc.constantFrom('resend', 'stored', 'give-up'),
  program: fc.constantFrom(0, 1),
} as const);
type OutboxAct = typeof outboxAct extends fc.Arbitrary<infer T> ? T : never;

/** Two programs with one outbox, and the forbidden effects. */
class Programs {
  readonly world: OutboxWorld;
  readonly service: ModelService;
  readonly #programs: readonly Outbox[];
  readonly faults: string[] = [];
  /** Number of times that each entry was executed and answered. */
  readonly #effects = new Map<string, number>();
  readonly #resent = new Set<string>();
  readonly #takenBack = new Set<string>();

  constructor(scheduler: fc.Scheduler, fates: readonly Fate[]) {
    this.service = new ModelService(fates);
    this.service.rules.set(RULE, { id: RULE, name: 'Rule', priority: 'LOW', critical_threshold: 0 });
    this.service.onCall = async (what) => void (await scheduler.schedule(Promise.resolve(), what));
    this.world = new OutboxWorld(this.service);
    const { outbox } = this.world.store;
    const save = outbox.save.bind(outbox);
    outbox.save = (entry) => {
      this.#watch(outbox.get(entry.id), entry);
      save(entry);
    };
    this.service.onEffect = (entryId, operation) => {
      const times = 1 + (this.#effects.get(entryId) ?? 0);
      this.#effects.set(entryId, times);
      if (times > 1 && operation.endsWith('.create') && !this.#resent.has(entryId))
        this.faults.push(`${operation} was carried out twice`);
      if (outbox.get(entryId)?.sentAtMs === null) this.faults.push(`${operation} was not stored as sent`);
    };
    this.#programs = [this.world.outbox, this.world.beside()];
  }

  #watch(before: StoredOutboxEntry | null, { id, state }: StoredOutboxEntry): void {
    if (before === null || before.state === state) return;
    const isBack = before.state === 'cancelled' && (this.#takenBack.has(id) || state === 'done');
    if (isOutboxOver(before.state) && !isBack) this.faults.push(`${before.state} became ${state}`);
  }

  perform({ kind, which, value, decision, program }: OutboxAct): unknown {
    const outbox = this.#programs[program] ?? this.world.outbox;
    const entryId = outbox.list()[which]?.entryId;
    const { clock } = this.world;
    const put = (operation: string, path: Record<string, string>, body: Record<string, string | number>) =>
      outbox.put(
        { request: { operation, path, query: {}, body }, base: this.service.rules.get(RULE) ?? null },
        null,
      );
    if (kind === 'change')
      return put('alert-rules.update', { alert_id: RULE }, { critical_threshold: value });
    if (kind === 'create') return put('projects.create', {}, { name: `P${value}` });
    if (kind === 'send all') return outbox.sendAll();
    if (kind === 'suspend') return outbox.suspend(new AppError('OFFLINE', 'No way.', { outcome: 'unsent' }));
    if (kind === 'wake') return outbox.wake();
    if (kind === 'time') return clock.advance(5_000);
    if (kind === 'others')
      return this.service.rules.set(RULE, {
        id: RULE,
        name: 'Rule',
        priority: 'LOW',
        critical_threshold: 10 + value,
      });
    if (entryId === undefined) return undefined;
    if (kind === 'send') return outbox.send(entryId);
    if (kind === 'discard') return outbox.discard(entryId);
    if (kind === 'edit') return outbox.edit(entryId, { name: `Q${value}` });
    if (kind === 'schedule') return outbox.schedule(entryId, clock.nowMs() + value * 1_000);
    if (kind === 'unschedule') return outbox.unschedule(entryId);
    if (kind === 'restore') {
      this.#takenBack.add(entryId);
      return outbox.restore(entryId);
    }
    if (decision === 'resend') this.#resent.add(entryId);
    return outbox.decide(entryId, decision);
  }

  /** Entries that are not done although they were executed and answered, whatever the user did meanwhile. */
  unsaid(): string[] {
    return (
      this.#programs[0]
        ?.list()
        .filter(
          ({ entryId, state, sentAtMs }) =>
            (this.#effects.get(entryId) ?? 0) > 0 &&
            state !== 'done' &&
            sentAtMs === null &&
            !this.#takenBack.has(entryId) &&
            !this.#resent.has(entryId),
        )
        .map(({ title, state }) => `${title}: ${state}`) ?? []
    );
  }

  async stop(): Promise<void> {
    await Promise.all(this.#programs.map((outbox) => outbox.stop()));
  }
}

test('changes of the outbox owned by two programs are sent once, and an end is never overwritten', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(outboxAct, { minLength: 3, maxLength: 14 }),
      fc.array(fc.constantFrom<Fate>(...FATES), { maxLength: 6 }),
      async (scheduler, acts, fates) => {
        const programs = new Programs(scheduler, fates);
        using world = programs.world;
        const unexpected = await play(scheduler, acts, (act) => programs.perform(act));
        await timed(scheduler, world.clock, programs.stop());
        expect({ unexpected, faults: programs.faults }).toEqual({ unexpected: [], faults: [] });
        expect(programs.unsaid()).toEqual([]);
      },
    ),
    { numRuns: runs(RUNS, MAX_RUNS) },
  );
});
