/** Holds the state of one mirror, in memory and on disk. */

import { type ExportCore, isExportIdle, isExportOver, mirrorTransition } from '../core/jobs/export.ts';
import type { JobEvent } from '../core/jobs/job.ts';
import { RepeatingLedger, type RunPorts } from '../jobs/repeating-ledger.ts';
import type { ExportState } from '../shared/export-model.ts';
import type { MirrorJob, MirrorResult } from '../shared/mirror-model.ts';
import type { StoredMirror } from './stored-mirror.ts';
import type { MirrorDeps } from './types.ts';

export class MirrorLedger extends RepeatingLedger<ExportState, StoredMirror, MirrorJob> {
  readonly #connectionId: string;
  /** Progress, kept in memory only, because everything is checked again after an interruption. */
  #seen: { rows: number; totalRows: number | null } = { rows: 0, totalRows: null };

  constructor(
    { store, clock, logger, onChanged, connection }: Omit<MirrorDeps, 'tables' | 'writeTable'>,
    runs: RunPorts<StoredMirror>,
    stored: StoredMirror,
  ) {
    const { state, reason, error, startAtMs, lateStart } = stored;
    super(
      {
        ...{ clock, logger, onChanged },
        id: stored.id,
        what: 'mirror',
        commit: (work) => store.commit(work),
        save: (each) => store.jobs.save(each),
        pause: (problem) => ({ type: 'pause', reason: problem.message, error: problem.toWire() }),
      },
      runs,
      stored,
      { state, reason, error, startAtMs, lateStart },
    );
    this.#connectionId = connection.id;
  }

  protected isIdleIn({ state }: ExportCore): boolean {
    return isExportIdle(state);
  }

  protected step(core: ExportCore, event: JobEvent): ExportCore {
    return mirrorTransition(core, event);
  }

  protected isOver({ state }: ExportCore): boolean {
    return isExportOver(state);
  }

  /** `totalRows`: null if it is not known yet. */
  showSeen(rows: number, totalRows: number | null): void {
    this.#seen = { rows, totalRows };
    this.noteChange(false);
  }

  end(result: MirrorResult): void {
    this.apply([{ type: 'settle' }], { result });
  }

  view(): MirrorJob {
    const { id: mirrorId, plan, folder, result, repeat = null, createdAtMs, endedAtMs } = this.stored;
    const { state, reason, error, startAtMs, lateStart } = this.core;
    const done = state === 'done' && result !== null ? { rows: result.rows, totalRows: result.rows } : null;
    return {
      ...{ mirrorId, connectionId: this.#connectionId, plan, folder, state, reason, error },
      ...(done ?? this.#seen),
      ...{ result, startAtMs, lateStart, repeat, createdAtMs, endedAtMs },
    };
  }
}
