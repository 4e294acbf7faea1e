/** Holds the state of one export, in memory and on disk. */
import { type ExportCore, exportTransition, isExportIdle, isExportOver } from '../core/jobs/export.ts';
import type { JobEvent } from '../core/jobs/job.ts';
import { RepeatingLedger, type RunPorts } from '../jobs/repeating-ledger.ts';
import { type ExportJob, type ExportPlan, type ExportState, isTablePlan } from '../shared/export-model.ts';
import { movedQuery } from '../shared/query-range.ts';
import type { StoredExport } from './stored-export.ts';
import type { ExportDeps } from './types.ts';

export class ExportLedger extends RepeatingLedger<ExportState, StoredExport, ExportJob> {
  readonly #connectionId: string;
  readonly #nowMs: () => number;
  readonly #source: ExportJob['source'];
  /** Number of rows written so far. Kept in memory only, because writing starts over after an interruption. */
  #written: number | null = null;

  constructor(
    deps: Pick<
      ExportDeps,
      'store' | 'clock' | 'logger' | 'onChanged' | 'connectionId' | 'baseUrl' | 'client'
    >,
    runs: RunPorts<StoredExport>,
    stored: StoredExport,
  ) {
    const { store, clock, logger, onChanged, connectionId } = deps;
    super(
      {
        ...{ clock, logger, onChanged },
        id: stored.id,
        what: 'export',
        commit: (work) => store.commit(work),
        save: (each) => store.jobs.save(each),
        pause: (error) => ({ type: 'pause', reason: error.message, error: error.toWire() }),
      },
      runs,
      stored,
      coreOf(stored),
    );
    this.#connectionId = connectionId;
    this.#nowMs = () => clock.nowMs();
    const { plan } = stored;
    this.#source = isTablePlan(plan)
      ? null
      : { baseUrl: deps.baseUrl, request: deps.client.describe(plan.query.operation).text };
  }

  protected isIdleIn({ state }: ExportCore): boolean {
    return isExportIdle(state);
  }

  protected step(core: ExportCore, event: JobEvent): ExportCore {
    return exportTransition(core, event);
  }

  protected isOver({ state }: ExportCore): boolean {
    return isExportOver(state);
  }

  /** The plan with the time range of this run. */
  get plan(): ExportPlan {
    const { plan, rangeMovedMs = 0 } = this.stored;
    return isTablePlan(plan) ? plan : { ...plan, query: movedQuery(plan.query, rangeMovedMs) };
  }

  /**
   * Each run of a repeat reads the data that the service has at its start. A time range up to now moves along with it.
   */
  protected override kept(core: ExportCore): Partial<StoredExport> {
    const { rangeAtMs = null, repeat = null, generationId, isRead } = this.stored;
    const begins = this.isIdle && !this.isIdleIn(core) && generationId === null && !isRead;
    if (!begins) return {};
    const nowMs = this.#nowMs();
    return {
      ...(repeat === null ? {} : { notBeforeMs: nowMs }),
      ...(rangeAtMs === null ? {} : { rangeMovedMs: nowMs - rangeAtMs }),
    };
  }

  /** Stores that another page was read, so that a process that lost the job stops requesting pages. */
  noteRead({
    generationId,
    rows,
    totalRows,
  }: Pick<StoredExport, 'generationId' | 'rows' | 'totalRows'>): void {
    this.apply([], { generationId, rows, totalRows });
    this.noteChange(false);
  }

  noteAllRead(): void {
    this.apply([], { isRead: true, generationId: null });
  }

  /** `totalRows`: null if it becomes known only at the end. */
  showWritten(rows: number, totalRows: number | null): void {
    if (this.#written === null) this.apply([], { totalRows });
    this.#written = rows;
    this.noteChange(false);
  }

  /** `skipped`: number of chosen rows that could not be written. `missingRows`: see `ExportJob`. */
  end(
    { rows, sizeBytes }: { rows: number; sizeBytes: number },
    { skipped, missingRows }: { skipped: number; missingRows: number | null | undefined },
  ): void {
    const missing = missingRows === undefined ? {} : { missingRows };
    this.apply([{ type: 'settle' }], { rows, sizeBytes, totalRows: rows + skipped, ...missing });
  }

  view(): ExportJob {
    const {
      id: exportId,
      file,
      isRead,
      rows,
      totalRows,
      sizeBytes,
      missingRows,
      repeat = null,
      createdAtMs,
      endedAtMs,
    } = this.stored;
    const { plan } = this;
    const { state, reason, error, startAtMs, lateStart } = this.core;
    return {
      ...{
        exportId,
        connectionId: this.#connectionId,
        plan,
        state,
        reason,
        error,
        file,
        totalRows,
        sizeBytes,
      },
      source: this.#source,
      step: isRead || isTablePlan(plan) || plan.reads === 'stored' ? 'writing' : 'reading',
      rows: state === 'running' ? (this.#written ?? rows) : rows,
      ...{ startAtMs, lateStart, repeat, createdAtMs, endedAtMs },
      ...(missingRows === undefined ? {} : { missingRows }),
    };
  }
}

function coreOf({ state, reason, error, startAtMs, lateStart }: StoredExport): ExportCore {
  return { state, reason, error, startAtMs, lateStart };
}
