/** Exports of lists and tables of one connection to files, as a kind of durable job. */
import { isExportOver } from '../core/jobs/export.ts';
import { NO_START } from '../core/jobs/start-plan.ts';
import { readable } from '../core/readable.ts';
import type { StoredExport } from '../db/export-store.ts';
import { Jobs } from '../jobs/jobs.ts';
import { USUAL_STEPS } from '../jobs/types.ts';
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
import { ExportLedger } from './export-ledger.ts';
import { ExportRunner } from './export-runner.ts';
import { checkPlace, readManifest, removePart } from './files.ts';
import { exportSource } from './job-source.ts';
import type { ExportDeps, ExportStart, Exports } from './types.ts';

const MAX_LISTED = 500;
/** True if these rows can be written as conversations: dataset items, or spans of traces and sessions. */
function isSpoken({ query, format }: ListExportPlan, { per }: ConversationPlan): boolean {
  return format === 'jsonl' && query.operation === (per === undefined ? 'datasets.items' : 'spans.query');
}

export function createExports(deps: ExportDeps): Exports {
  const entries = new ExportEntries(deps);
  const own: Omit<Exports, 'source'> = {
    list: () => entries.list(),
    get: (exportId) => entries.jobs.ledger(exportId).view(),
    create: (plan, start) => entries.create(plan, start),
    chooseFile: (exportId, file) => entries.chooseFile(exportId, file),
    control: (exportId, action, startAtMs = null) => entries.control(exportId, action, startAtMs),
    forget: (exportId) => entries.forget(exportId),
    manifest: (exportId) => readManifest(entries.jobs.ledger(exportId).stored.file ?? ''),
    whenIdle: async (exportId) => (await entries.jobs.whenIdle(exportId)).view(),
    recover: (continues) => void entries.jobs.recover(continues),
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

  constructor(deps: ExportDeps) {
    this.#deps = deps;
    const { jobs } = deps.store;
    this.jobs = new Jobs<ExportLedger>(deps, {
      what: 'export',
      rows: jobs,
      load: (id) => new ExportLedger(deps, jobs.load(id)),
      run: (ledger) => new ExportRunner(deps, ledger),
      ...USUAL_STEPS,
    });
  }

  runners(): ExportRunner[] {
    return this.jobs.runners().filter((runner) => runner instanceof ExportRunner);
  }

  list(): ExportJob[] {
    const stored = this.#deps.store.jobs.list({ limit: MAX_LISTED });
    return readable(stored, ({ id }) => this.jobs.ledger(id).view());
  }

  async create(given: ExportPlan, { file, startAtMs, notBeforeMs }: ExportStart): Promise<ExportJob> {
    const plan = exportPlan.parse(given);
    if (!isTablePlan(plan) && plan.conversation !== undefined && !isSpoken(plan, plan.conversation))
      throw new AppError(
        'INVALID_ARGUMENT',
        `Expected spans or the items of a dataset and JSON Lines to write conversations, got ${plan.query.operation} as ${plan.format}.`,
      );
    if (file !== null) await checkPlace(file);
    // Checks now whether the chosen rows have changed, not after the person chose a file name.
    if (!isTablePlan(plan) && plan.seen !== null) await this.#deps.library.chooseRows(plan);
    const { store, random, clock } = this.#deps;
    const id = random.uuid();
    const stored: StoredExport = {
      ...{ id, plan, file, notBeforeMs, reason: '', error: null, ...NO_START },
      state: file === null ? 'draft' : 'ready',
      ...{ generationId: null, isRead: false, rows: 0, totalRows: null, sizeBytes: null },
      ...{ createdAtMs: clock.nowMs(), endedAtMs: null },
    };
    store.commit(() => store.jobs.create(stored));
    if (file === null) return this.#changed(id);
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
    const nowMs = this.#deps.clock.nowMs();
    usualControl(this.jobs, { id, action, startAtMs }, { nowMs, halt: (...held) => this.#suspend(...held) });
    return this.jobs.ledger(id).view();
  }

  #suspend(id: string, event: Parameters<ExportLedger['apply']>[0][number]): void {
    this.jobs.ledger(id).apply([event]);
    const runner = this.jobs.runner(id);
    if (runner instanceof ExportRunner) runner.recall();
    else if (event.type === 'cancel') this.#removePart(this.jobs.ledger(id).stored);
  }

  /** Removes the partial file that a killed program left. */
  #removePart({ id, file }: StoredExport): void {
    if (file === null) return;
    const { logger } = this.#deps;
    removePart(file, id).catch(() => logger.warn('part of an export not removed', { id }));
  }

  #changed(id: string): ExportJob {
    this.jobs.starts.changed(id);
    return this.jobs.ledger(id).view();
  }

  forget(id: string): void {
    const { core, stored } = this.jobs.idle(id);
    if (core.startAtMs !== null) throw new AppError('CONFLICT', 'It starts later. Cancel that first.');
    const { store } = this.#deps;
    store.commit(() => store.jobs.remove(id));
    if (!isExportOver(core.state)) this.#removePart(stored);
  }

  async stop(): Promise<void> {
    // An export only reads, so nothing is lost: the page is requested again.
    await this.jobs.stop(0);
  }
}
