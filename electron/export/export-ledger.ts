/** One export as memory and disk hold it. */
import { type ExportCore, exportTransition, isExportIdle, isExportOver } from '../core/jobs/export.ts';
import type { JobEvent } from '../core/jobs/job.ts';
import type { StoredExport } from '../db/export-store.ts';
import { JobLedger } from '../jobs/ledger.ts';
import { type ExportJob, isTablePlan } from '../shared/export-model.ts';
import type { ExportDeps } from './types.ts';

export class ExportLedger extends JobLedger<ExportCore, JobEvent, StoredExport, ExportJob> {
  readonly #connectionId: string;
  readonly #source: ExportJob['source'];
  /** Rows that were written so far; not worth a commit each time, as writing begins anew after an end. */
  #written: number | null = null;

  constructor(
    deps: Pick<
      ExportDeps,
      'store' | 'clock' | 'logger' | 'onChanged' | 'connectionId' | 'baseUrl' | 'client'
    >,
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
      stored,
      coreOf(stored),
    );
    this.#connectionId = connectionId;
    const { plan } = stored;
    this.#source = isTablePlan(plan)
      ? null
      : { baseUrl: deps.baseUrl, request: deps.client.describe(plan.query.operation).text };
  }

  get isIdle(): boolean {
    return isExportIdle(this.core.state);
  }

  protected step(core: ExportCore, event: JobEvent): ExportCore {
    return exportTransition(core, event);
  }

  protected isOver({ state }: ExportCore): boolean {
    return isExportOver(state);
  }

  /** A page more is there. On the disk, so that whoever lost the job to another process asks for no further one. */
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

  /** `totalRows`: null where it is known only at the end. */
  showWritten(rows: number, totalRows: number | null): void {
    if (this.#written === null) this.apply([], { totalRows });
    this.#written = rows;
    this.noteChange(false);
  }

  /** `skipped`: rows that were chosen and could not be written. `missingRows`: as in `ExportJob`. */
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
      plan,
      file,
      isRead,
      rows,
      totalRows,
      sizeBytes,
      missingRows,
      createdAtMs,
      endedAtMs,
    } = this.stored;
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
      ...{ startAtMs, lateStart, createdAtMs, endedAtMs },
      ...(missingRows === undefined ? {} : { missingRows }),
    };
  }
}

function coreOf({ state, reason, error, startAtMs, lateStart }: StoredExport): ExportCore {
  return { state, reason, error, startAtMs, lateStart };
}
