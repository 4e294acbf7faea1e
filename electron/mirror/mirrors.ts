/** Mirrors of stored tables in folders, as a kind of durable job. */
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { NO_START } from '../core/jobs/start-plan.ts';
import { readable } from '../core/readable.ts';
import type { StoredMirror } from '../db/mirror-store.ts';
import { Jobs } from '../jobs/jobs.ts';
import { USUAL_STEPS } from '../jobs/types.ts';
import { usualControl } from '../jobs/usual-control.ts';
import { AppError } from '../shared/errors.ts';
import { type MirrorJob, type MirrorPlan, mirrorPlan } from '../shared/mirror-model.ts';
import { checkFolder, readCatalog } from './folder.ts';
import { mirrorSource } from './job-source.ts';
import { MirrorLedger } from './mirror-ledger.ts';
import { MirrorRunner } from './mirror-runner.ts';
import type { MirrorDeps, Mirrors } from './types.ts';

const MAX_LISTED = 500;

export function createMirrors(deps: MirrorDeps): Mirrors {
  const entries = new MirrorEntries(deps);
  const own: Omit<Mirrors, 'source'> = {
    list: () => entries.list(),
    get: (mirrorId) => entries.jobs.ledger(mirrorId).view(),
    create: (plan, start) => entries.create(plan, start),
    chooseFolder: (mirrorId, folder) => entries.chooseFolder(mirrorId, folder),
    control: (mirrorId, action, startAtMs = null) => entries.control(mirrorId, action, startAtMs),
    forget: (mirrorId) => entries.forget(mirrorId),
    catalog: (mirrorId) => readCatalog(entries.jobs.ledger(mirrorId).stored.folder ?? ''),
    whenIdle: async (mirrorId) => (await entries.jobs.whenIdle(mirrorId)).view(),
    recover: (continues) => void entries.jobs.recover(continues),
    wake: () => entries.jobs.wake(),
    // It sends nothing to the service.
    suspend: () => undefined,
    // Files that are complete stay and are not written again.
    stop: () => entries.jobs.stop(0),
    damaged: deps.store.damaged,
  };
  return { ...own, source: mirrorSource(own, entries.jobs) };
}

class MirrorEntries {
  readonly #deps: MirrorDeps;
  readonly jobs: Jobs<MirrorLedger>;

  constructor(deps: MirrorDeps) {
    this.#deps = deps;
    const { jobs } = deps.store;
    this.jobs = new Jobs<MirrorLedger>(deps, {
      what: 'mirror',
      rows: jobs,
      load: (id) => new MirrorLedger(deps, jobs.load(id)),
      run: (ledger) => new MirrorRunner(deps, ledger),
      ...USUAL_STEPS,
    });
  }

  list(): MirrorJob[] {
    const stored = this.#deps.store.jobs.list({ limit: MAX_LISTED });
    return readable(stored, ({ id }) => this.jobs.ledger(id).view());
  }

  async create(
    given: MirrorPlan,
    { folder: typed, startAtMs }: { folder: string | null; startAtMs: number | null },
  ): Promise<MirrorJob> {
    const plan = mirrorPlan.parse(given);
    const folder = typed === null ? null : await this.#place(typed, null);
    const { store, random, clock } = this.#deps;
    const id = random.uuid();
    const stored: StoredMirror = {
      ...{ id, plan, folder, reason: '', error: null, ...NO_START },
      ...{ state: folder === null ? 'draft' : 'ready', result: null },
      ...{ createdAtMs: clock.nowMs(), endedAtMs: null },
    };
    const replaced = store.commit(() => {
      store.jobs.create(stored);
      return folder === null ? [] : this.#removeEarlier(folder, id);
    });
    replaced.forEach(this.#deps.onReplaced);
    if (folder === null) return this.#changed(id);
    return this.control(id, startAtMs === null ? 'start' : 'schedule', startAtMs);
  }

  async chooseFolder(id: string, typed: string): Promise<MirrorJob> {
    if (this.jobs.idle(id).core.state !== 'draft')
      throw new AppError('INVALID_ARGUMENT', 'The folder of this mirror was already chosen.');
    const folder = await this.#place(typed, id);
    const { store } = this.#deps;
    store.commit(() => this.#removeEarlier(folder, id)).forEach(this.#deps.onReplaced);
    this.jobs.start(id, (ledger) => ledger.apply([{ type: 'start' }], { folder }));
    return this.#changed(id);
  }

  /** The absolute path without links. Throws if it cannot hold this mirror now. */
  async #place(typed: string, id: string | null): Promise<string> {
    await checkFolder(resolve(typed), this.#deps.connection);
    const folder = await realFolder(resolve(typed));
    for (const { id: other } of this.#earlier(folder))
      if (other !== id && this.jobs.isBusy(other))
        throw new AppError(
          'CONFLICT',
          'A mirror is being written to this folder. Wait until it is done, or cancel it.',
        );
    return folder;
  }

  #earlier(folder: string): StoredMirror[] {
    return this.#deps.store.jobs.list({ subject: folder });
  }

  /** One folder has one mirror: its last writing replaces the ones before. Returns their ids. */
  #removeEarlier(folder: string, id: string): string[] {
    const others = this.#earlier(folder).filter((each) => each.id !== id);
    for (const { id: other } of others) this.jobs.forget(other, () => this.#deps.store.jobs.remove(other));
    return others.map((each) => each.id);
  }

  control(id: string, action: Parameters<Mirrors['control']>[1], startAtMs: number | null): MirrorJob {
    const nowMs = this.#deps.clock.nowMs();
    usualControl(this.jobs, { id, action, startAtMs }, { nowMs, halt: (...held) => this.#suspend(...held) });
    return this.jobs.ledger(id).view();
  }

  #suspend(id: string, event: Parameters<MirrorLedger['apply']>[0][number]): void {
    this.jobs.ledger(id).apply([event]);
    const runner = this.jobs.runner(id);
    if (runner instanceof MirrorRunner) runner.recall();
  }

  #changed(id: string): MirrorJob {
    this.jobs.starts.changed(id);
    return this.jobs.ledger(id).view();
  }

  forget(id: string): void {
    const { core } = this.jobs.idle(id);
    if (core.startAtMs !== null) throw new AppError('CONFLICT', 'It starts later. Cancel that first.');
    const { store } = this.#deps;
    store.commit(() => store.jobs.remove(id));
  }
}

/** One path for all spellings of a folder, which may be new in an existing one. */
const realFolder = (path: string): Promise<string> =>
  realpath(path).catch(async () => join(await realpath(dirname(path)), basename(path)));
