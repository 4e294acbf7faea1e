/** Exports lists and tables of one connection to files, as a kind of durable job. */
import { isExportOver } from '../core/jobs/export.ts';
import { NO_START } from '../core/jobs/start-plan.ts';
import { readable } from '../core/readable.ts';
import { Jobs } from '../jobs/jobs.ts';
import { REPEATING_STEPS, type RunHead, type RunPorts } from '../jobs/repeating-ledger.ts';
import { Repeats } from '../jobs/repeats.ts';
import { usualControl } from '../jobs/usual-control.ts';
import { AppError } from '../shared/errors.ts';
import {
  type ConversationPlan,
  type ExportJob,
  type ExportPlan,
  exportPlan,
  isTablePlan,
  type ListExportPlan,
} from '../shared/export-model.ts';
import { rangeOfQuery } from '../shared/query-range.ts';
import { ExportLedger } from './export-ledger.ts';
import { ExportRunner } from './export-runner.ts';
import { checkOtherRepeat, checkPlace, readManifest, removeParts } from './files.ts';
import { exportSource } from './job-source.ts';
import type { StoredExport } from './stored-export.ts';
import type { ExportDeps, ExportStart, Exports } from './types.ts';

const MAX_LISTED = 500;
/**
 * Maximum age of the end of a time range that still counts as up to now, because a person may look at it before
 * exporting.
 */
const UP_TO_NOW_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** True if these rows can be written as conversations: dataset items, or spans of traces and sessions. */
function isSpoken({ query, format }: ListExportPlan, { per }: ConversationPlan): boolean {
  return format === 'jsonl' && query.operation === (per === undefined ? 'datasets.items' : 'spans.query');
}

/** The next run of a repeat. It reads lists again that are stale at its start. */
function another(earlier: StoredExport, head: RunHead): StoredExport {
  const { plan, file } = earlier;
  return {
    ...{ ...head, plan: isTablePlan(plan) ? plan : { ...plan, seen: null }, file, state: 'ready' },
    ...{ notBeforeMs: head.createdAtMs, generationId: null, isRead: false },
    ...{ rows: 0, totalRows: null, sizeBytes: null },
    ...repeating(earlier),
  };
}

/** The time range of an export that repeats. If the range ended when the export was made, each run moves it along. */
function repeating(stored: StoredExport): Pick<StoredExport, 'rangeAtMs'> {
  const { rangeAtMs = isUpToNow(stored) ? stored.createdAtMs : null } = stored;
  return { rangeAtMs };
}

/** True if the time range of an export ended about when the export was made, like the last seven days. */
function isUpToNow({ plan, createdAtMs }: StoredExport): boolean {
  const range = isTablePlan(plan) ? null : rangeOfQuery(plan.query);
  const afterMs = (range?.endMs ?? Number.NEGATIVE_INFINITY) - createdAtMs;
  // Some ranges end with the current hour or day, which lies in the future.
  return afterMs > -UP_TO_NOW_MS && afterMs < DAY_MS;
}

/** The reason why an export cannot repeat; null if it can. */
function obstacle({ plan }: StoredExport): string | null {
  if (plan.partitionBy !== null)
    return 'Expected an export to one file to repeat, but this one writes a folder, which is never replaced. Leave out the column that divides it.';
  return isTablePlan(plan) || plan.ranges === null
    ? null
    : 'Expected an export of all rows to repeat, but this one has chosen rows, whose places change. Export the whole list.';
}

export function createExports(deps: ExportDeps): Exports {
  const entries = new ExportEntries(deps);
  const own: Omit<Exports, 'source'> = {
    list: () => entries.list(),
    get: (exportId) => entries.view(exportId),
    create: (plan, start) => entries.create(plan, start),
    repeat: (exportId, change) => entries.view(entries.repeats.change(exportId, change)),
    startDueAfterSync: () => entries.repeats.startDueAfterSync(),
    chooseFile: (exportId, file) => entries.chooseFile(exportId, file),
    control: (exportId, action, startAtMs = null) => entries.control(exportId, action, startAtMs),
    forget: (exportId) => entries.forget(exportId),
    manifest: (exportId) => readManifest(entries.jobs.ledger(exportId).stored.file ?? ''),
    whenIdle: async (exportId) => (await entries.jobs.whenIdle(exportId)).view(),
    recover: (continues) => {
      entries.jobs.recover(continues);
      if (continues) entries.repeats.startDueAfterSync();
    },
    wake: () => entries.jobs.wake(),
    suspend: (error) => {
      for (const runner of entries.runners()) runner.suspend(error);
    },
    stop: () => entries.stop(),
    damaged: deps.store.damaged,
  };
  return { ...own, source: exportSource(own, entries.jobs) };
}

class ExportEntries {
  readonly #deps: ExportDeps;
  readonly jobs: Jobs<ExportLedger>;
  readonly repeats: Repeats<StoredExport, ExportLedger>;

  constructor(deps: ExportDeps) {
    this.#deps = deps;
    const { clock, random, logger, store, lastSyncMs } = deps;
    const { jobs } = store;
    const subjectOf = ({ file }: StoredExport) => file;
    const runs = { clock, random, another, subjectOf, rows: jobs };
    const onNext: RunPorts<StoredExport>['onNext'] = (...next) => this.repeats.noteNext(...next);
    this.jobs = new Jobs<ExportLedger>(deps, {
      what: 'export',
      rows: jobs,
      load: (id) => new ExportLedger(deps, { ...runs, onNext }, jobs.load(id)),
      run: (ledger) => new ExportRunner(deps, ledger),
      ...REPEATING_STEPS,
      isHeld: (id) => this.repeats.isHeld(id),
      heldBy: (id) => (this.repeats.isPlanned(id) ? deps.heldBy() : null),
    });
    this.repeats = new Repeats({
      ...{ ...runs, logger, lastSyncMs, jobs: this.jobs },
      obstacle,
      repeating,
      onRemoved: (stored) => {
        if (!isExportOver(stored.state)) this.#removePart(stored);
        deps.onReplaced(stored.id);
      },
    });
  }

  view(id: string): ExportJob {
    return this.jobs.ledger(id).view();
  }

  runners(): ExportRunner[] {
    return this.jobs.runners().filter((runner) => runner instanceof ExportRunner);
  }

  list(): ExportJob[] {
    const stored = this.#deps.store.jobs.list({ limit: MAX_LISTED });
    return readable(stored, ({ id }) => this.jobs.ledger(id).view());
  }

  async create(
    given: ExportPlan,
    { file, startAtMs, notBeforeMs, rule = null }: ExportStart,
  ): Promise<ExportJob> {
    const plan = exportPlan.parse(given);
    if (!isTablePlan(plan) && plan.conversation !== undefined && !isSpoken(plan, plan.conversation))
      throw new AppError(
        'INVALID_ARGUMENT',
        `Expected spans or the items of a dataset and JSON Lines to write conversations, got ${plan.query.operation} as ${plan.format}.`,
      );
    if (file !== null) await checkPlace(file, plan.partitionBy !== null);
    if (file !== null && rule !== null) await checkOtherRepeat(file, this.#deps.connectionId);
    // Checks whether the chosen rows have changed before the person chooses a file name.
    if (!isTablePlan(plan) && plan.seen !== null) await this.#deps.library.chooseRows(plan);
    const { store, random, clock } = this.#deps;
    const id = random.uuid();
    const stored: StoredExport = {
      ...{ id, plan, file, notBeforeMs, reason: '', error: null, ...NO_START },
      state: file === null ? 'draft' : 'ready',
      ...{ generationId: null, isRead: false, rows: 0, totalRows: null, sizeBytes: null },
      ...{ createdAtMs: clock.nowMs(), endedAtMs: null },
    };
    if (rule !== null) Object.assign(stored, repeating(stored), this.repeats.first(stored, rule, startAtMs));
    store.commit(() => store.jobs.create(stored));
    if (file === null || rule !== null) return this.#changed(id);
    return this.control(id, startAtMs === null ? 'start' : 'schedule', startAtMs);
  }

  chooseFile(id: string, file: string): ExportJob {
    const { state } = this.jobs.idle(id).core;
    if (state !== 'draft')
      throw new AppError('INVALID_ARGUMENT', 'The file of this export was already chosen.');
    this.jobs.start(id, (ledger) => ledger.apply([{ type: 'start' }], { file }));
    return this.#changed(id);
  }

  control(id: string, action: Parameters<Exports['control']>[1], startAtMs: number | null): ExportJob {
    if (action === 'unschedule' && this.repeats.isPlanned(id))
      return this.view(this.repeats.change(id, { type: 'end' }));
    if (action === 'start' || action === 'resume') this.repeats.checkFree(id);
    const nowMs = this.#deps.clock.nowMs();
    usualControl(this.jobs, { id, action, startAtMs }, { nowMs, halt: (...held) => this.#suspend(...held) });
    return this.view(id);
  }

  #suspend(id: string, event: Parameters<ExportLedger['apply']>[0][number]): void {
    this.jobs.toHalt(id).apply([event]);
    const runner = this.jobs.runner(id);
    if (runner instanceof ExportRunner) runner.recall();
    else if (event.type === 'cancel') this.#removePart(this.jobs.ledger(id).stored);
  }

  /** Removes the partial file that a killed program left. */
  #removePart({ id, file }: StoredExport): void {
    if (file === null) return;
    const { logger } = this.#deps;
    removeParts(file, id).catch(() => logger.warn('part of an export not removed', { id }));
  }

  #changed(id: string): ExportJob {
    this.jobs.starts.changed(id);
    return this.view(id);
  }

  forget(id: string): void {
    const ledger = this.jobs.idle(id);
    this.repeats.checkRemovable(ledger);
    const { stored } = ledger;
    const { store } = this.#deps;
    store.commit(() => {
      ledger.checkOwn();
      store.jobs.remove(id);
    });
    if (!isExportOver(stored.state)) this.#removePart(stored);
  }

  async stop(): Promise<void> {
    // An export only reads, so nothing is lost if a request is aborted: the page is requested again.
    await this.jobs.stop(0);
  }
}
