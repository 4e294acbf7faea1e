/** Reads the missing pages of a list, then writes its rows to a file. The file appears once it is complete. */
import { suspensionOf } from '../core/jobs/bulk-act.ts';
import { LedgerRunner } from '../jobs/ledger-runner.ts';
import { AppError } from '../shared/errors.ts';
import { isTablePlan, type ListExportPlan, type TableExportPlan } from '../shared/export-model.ts';
import type { ExportLedger } from './export-ledger.ts';
import {
  checkOtherRepeat,
  checkPlace,
  linesOf,
  manifestText,
  partOf,
  publish,
  removeParts,
  targetOf,
  writeLines,
} from './files.ts';
import type { ExportDeps } from './types.ts';

export class ExportRunner extends LedgerRunner<ExportLedger> {
  readonly #deps: ExportDeps;
  #stretch = new AbortController();

  constructor(deps: ExportDeps, ledger: ExportLedger) {
    super(deps, ledger);
    this.#deps = deps;
  }

  handleFailure(error: AppError): void {
    if (this.phase() !== 'running') return;
    // Waiting does not help after an error while writing the file.
    const how = this.ledger.view().step === 'writing' ? 'pause' : suspensionOf(error);
    this.ledger.applyAnyhow([{ type: how, reason: error.message, error: error.toWire() }]);
    this.#stretch.abort();
  }

  /** Called when the service is unreachable, which matters only while pages are read. */
  suspend(error: AppError): void {
    if (this.ledger.view().step === 'reading') this.handleFailure(error);
  }

  /** Called when a person halted the job. */
  recall(): void {
    this.#stretch.abort();
    this.loop.wake();
  }

  async run(ending: AbortSignal): Promise<void> {
    const halt = new AbortController();
    this.#stretch = halt;
    const signal = AbortSignal.any([ending, halt.signal]);
    const { isRead } = this.ledger.stored;
    const { plan } = this.ledger;
    try {
      if (!isTablePlan(plan) && plan.reads === 'whole' && !isRead) await this.#read(plan, signal);
      if (this.shouldContinue) await this.#write(signal);
    } catch (thrown) {
      // The work was halted. If a person has resumed the job in the meantime, it begins again.
      if (!halt.signal.aborted) throw thrown;
    }
  }

  async #read(plan: ListExportPlan, signal: AbortSignal): Promise<void> {
    const { library, client } = this.#deps;
    const { generationId, notBeforeMs } = this.ledger.stored;
    await library.fetchAll({
      query: plan.query,
      form: 'list',
      ...{ generationId, notBeforeMs, client, signal },
      until: 'end',
      group: `export ${this.ledger.id}`,
      onProgress: (progress) => {
        // Received pages stay in the store, even if the job was halted meanwhile.
        if (!this.shouldContinue) throw new AppError('CANCELLED', 'Halted.', { outcome: 'unsent' });
        this.ledger.noteRead(progress);
        this.loop.succeed();
      },
    });
    if (this.shouldContinue) this.ledger.noteAllRead();
  }

  async #write(signal: AbortSignal): Promise<void> {
    const { baseUrl, clock, connectionId } = this.#deps;
    const { file, repeat = null } = this.ledger.stored;
    const { plan } = this.ledger;
    if (file === null) throw new AppError('INVALID_ARGUMENT', 'Expected a file to write to.');
    if (repeat !== null) await checkOtherRepeat(file, connectionId);
    const { id } = this.ledger;
    const run = this.#deps.random.uuid();
    await this.#removeLeft(file);
    const part = partOf(await targetOf(file), id, run);
    try {
      const { rows, written, about } = isTablePlan(plan)
        ? await this.#writeTable(plan, part, signal)
        : await this.#writeList(plan, part, signal);
      if (!this.shouldContinue) return;
      await checkPlace(file, plan.partitionBy !== null);
      const repeats = repeat === null ? null : { connectionId };
      const manifest = manifestText({
        ...{ plan, file, baseUrl, rows, written, about, repeats },
        nowMs: clock.nowMs(),
      });
      // Another process may have taken the job over while the place was checked.
      if (!this.shouldContinue) return;
      await publish(part, file, { id, run }, manifest);
      const missingRows = 'missingRows' in rows ? rows.missingRows : undefined;
      this.ledger.end(written, { skipped: written.skipped?.rows ?? 0, missingRows });
    } finally {
      await removeParts(file, id, run);
    }
  }

  /** Removes the partial files of killed processes. */
  async #removeLeft(file: string): Promise<void> {
    const { id } = this.ledger;
    await removeParts(file, id).catch(() => {
      this.#deps.logger.warn('parts of an export not removed', { id });
    });
  }

  async #writeList(plan: ListExportPlan, part: string, signal: AbortSignal) {
    const rows = await this.#deps.library.chooseRows(plan);
    if (!this.shouldContinue) throw new AppError('CANCELLED', 'Halted.');
    this.ledger.showWritten(0, rows.count);
    const onProgress = (written: number) => this.ledger.showWritten(written, rows.count);
    return { rows, written: await this.#deps.write({ rows, plan, part }, signal, onProgress), about: {} };
  }

  /** The number of rows becomes known only while they are written. */
  async #writeTable(plan: TableExportPlan, part: string, signal: AbortSignal) {
    this.ledger.showWritten(0, null);
    const onProgress = (written: number) => this.ledger.showWritten(written, null);
    const { table } = plan;
    if (table.form === 'sql') {
      const written = await this.#deps.writeTable({ source: table, plan, part }, signal, onProgress);
      const rows = { totalRows: written.rows, isComplete: true, oldestMs: null, newestMs: null };
      return { rows, written, about: { sql: table.sql } };
    }
    const { about, rows, ...said } = await this.#deps.readTable(table);
    const source = 'form' in rows ? rows : { form: 'lines' as const, file: linesOf(part) };
    if (!('form' in rows)) await writeLines(linesOf(part), rows, signal);
    const written = await this.#deps.writeTable({ source, plan, part }, signal, onProgress);
    return { rows: { totalRows: said.isComplete ? written.rows : null, ...said }, written, about };
  }
}
