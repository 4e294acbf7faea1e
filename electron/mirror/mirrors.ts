/** Mirrors stored tables to folders, as a kind of durable job. */
import { realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { NO_START } from '../core/jobs/start-plan.ts';
import { readable } from '../core/readable.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import { Jobs } from '../jobs/jobs.ts';
import { REPEATING_STEPS, type RunHead, type RunPorts } from '../jobs/repeating-ledger.ts';
import { Repeats } from '../jobs/repeats.ts';
import { usualControl } from '../jobs/usual-control.ts';
import { AppError } from '../shared/errors.ts';
import { type MirrorJob, type MirrorPlan, mirrorPlan } from '../shared/mirror-model.ts';
import { checkFolder, readCatalog } from './folder.ts';
import { mirrorSource } from './job-source.ts';
import { MirrorLedger } from './mirror-ledger.ts';
import { chosenTables, MirrorRunner } from './mirror-runner.ts';
import type { StoredMirror } from './stored-mirror.ts';
import type { MirrorDeps, MirrorStart, Mirrors } from './types.ts';

const MAX_LISTED = 500;

export function createMirrors(deps: MirrorDeps): Mirrors {
  const entries = new MirrorEntries(deps);
  const own: Omit<Mirrors, 'source'> = {
    list: () => entries.list(),
    get: (mirrorId) => entries.view(mirrorId),
    create: (plan, start) => entries.create(plan, start),
    repeat: (mirrorId, change) => entries.view(entries.repeats.change(mirrorId, change)),
    startDueAfterSync: () => entries.repeats.startDueAfterSync(),
    chooseFolder: (mirrorId, folder) => entries.chooseFolder(mirrorId, folder),
    control: (mirrorId, action, startAtMs = null) => entries.control(mirrorId, action, startAtMs),
    forget: (mirrorId) => entries.forget(mirrorId),
    catalog: (mirrorId) => readCatalog(entries.jobs.ledger(mirrorId).stored.folder ?? ''),
    whenIdle: async (mirrorId) => (await entries.jobs.whenIdle(mirrorId)).view(),
    recover: (continues) => {
      entries.jobs.recover(continues);
      if (continues) entries.repeats.startDueAfterSync();
    },
    wake: () => entries.jobs.wake(),
    // A mirror sends nothing to the service, so nothing is to be done if it is unreachable.
    suspend: () => undefined,
    // Complete files stay and are not written again.
    stop: () => entries.jobs.stop(0),
    damaged: deps.store.damaged,
  };
  return { ...own, source: mirrorSource(own, entries.jobs) };
}

class MirrorEntries {
  readonly #deps: MirrorDeps;
  readonly jobs: Jobs<MirrorLedger>;
  readonly repeats: Repeats<StoredMirror, MirrorLedger>;

  constructor(deps: MirrorDeps) {
    this.#deps = deps;
    const { clock, random, logger, store, lastSyncMs } = deps;
    const { jobs } = store;
    const subjectOf = ({ folder }: StoredMirror) => folder;
    const runs = { clock, random, another, subjectOf, rows: jobs };
    const onNext: RunPorts<StoredMirror>['onNext'] = (...next) => this.repeats.noteNext(...next);
    this.jobs = new Jobs<MirrorLedger>(deps, {
      what: 'mirror',
      rows: jobs,
      load: (id) => new MirrorLedger(deps, { ...runs, onNext }, jobs.load(id)),
      run: (ledger) => new MirrorRunner(deps, ledger),
      ...REPEATING_STEPS,
      isHeld: (id) => this.repeats.isHeld(id),
      heldBy: (id) => (this.repeats.isPlanned(id) ? deps.heldBy() : null),
    });
    this.repeats = new Repeats({
      ...{ ...runs, logger, lastSyncMs, jobs: this.jobs },
      obstacle: () => null,
      onRemoved: ({ id }) => deps.onReplaced(id),
    });
  }

  view(id: string): MirrorJob {
    return this.jobs.ledger(id).view();
  }

  list(): MirrorJob[] {
    const stored = this.#deps.store.jobs.list({ limit: MAX_LISTED });
    return readable(stored, ({ id }) => this.jobs.ledger(id).view());
  }

  async create(
    given: MirrorPlan,
    { folder: typed, startAtMs, rule = null }: MirrorStart,
  ): Promise<MirrorJob> {
    const plan = mirrorPlan.parse(given);
    const slicer = new TimeSlicer(this.#deps.clock);
    const folder = typed === null ? null : await this.#place(typed, null);
    // Tables are checked only for an immediate start, because they may be stored before a later one.
    if (folder !== null && startAtMs === null && rule === null)
      chosenTables(await this.#deps.tables(), plan.tables);
    // Checking the folder, checking the tables and storing the job each take a few milliseconds.
    await slicer.pause();
    const { store, random, clock } = this.#deps;
    const id = random.uuid();
    const stored: StoredMirror = {
      ...{ id, plan, folder, reason: '', error: null, ...NO_START },
      ...{ state: folder === null ? 'draft' : 'ready', result: null },
      ...{ createdAtMs: clock.nowMs(), endedAtMs: null },
    };
    if (rule !== null) Object.assign(stored, this.repeats.first(stored, rule, startAtMs));
    const replaced = store.commit(() => {
      store.jobs.create(stored);
      return folder === null ? [] : this.#removeEarlier(folder, id);
    });
    replaced.forEach(this.#deps.onReplaced);
    if (folder === null || rule !== null) return this.#changed(id);
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

  /** The absolute path without links. Throws if the folder cannot hold this mirror now. */
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

  /** Removes the earlier mirrors of a folder, because its last writing replaces theirs. Returns their ids. */
  #removeEarlier(folder: string, id: string): string[] {
    // Runs of a repeat are kept with their results.
    const others = this.#earlier(folder).filter((each) => each.id !== id && !each.repeat);
    for (const { id: other } of others) this.jobs.forget(other, () => this.#deps.store.jobs.remove(other));
    return others.map((each) => each.id);
  }

  control(id: string, action: Parameters<Mirrors['control']>[1], startAtMs: number | null): MirrorJob {
    if (action === 'unschedule' && this.repeats.isPlanned(id))
      return this.view(this.repeats.change(id, { type: 'end' }));
    if (action === 'start' || action === 'resume') this.repeats.checkFree(id);
    const nowMs = this.#deps.clock.nowMs();
    usualControl(this.jobs, { id, action, startAtMs }, { nowMs, halt: (...held) => this.#suspend(...held) });
    return this.view(id);
  }

  #suspend(id: string, event: Parameters<MirrorLedger['apply']>[0][number]): void {
    this.jobs.toHalt(id).apply([event]);
    const runner = this.jobs.runner(id);
    if (runner instanceof MirrorRunner) runner.recall();
  }

  #changed(id: string): MirrorJob {
    this.jobs.starts.changed(id);
    return this.view(id);
  }

  forget(id: string): void {
    const ledger = this.jobs.idle(id);
    this.repeats.checkRemovable(ledger);
    const { store } = this.#deps;
    store.commit(() => {
      ledger.checkOwn();
      store.jobs.remove(id);
    });
  }
}

function another({ plan, folder }: StoredMirror, head: RunHead): StoredMirror {
  return { ...head, plan, folder, state: 'ready', result: null };
}

/** The same path for all spellings of a folder. The folder itself may not exist yet. */
const realFolder = (path: string): Promise<string> =>
  realpath(path).catch(async () => join(await realpath(dirname(path)), basename(path)));
