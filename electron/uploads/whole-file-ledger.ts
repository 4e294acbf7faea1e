/** One file sent as is as memory and disk hold it. */
import {
  againOf,
  isWholeFileIdle,
  isWholeFileOver,
  isWholeFileSending,
  type WholeFileCore,
  type WholeFileEvent,
  wholeFileTransition,
} from '../core/jobs/whole-file.ts';
import type { StoredWholeFile } from '../db/whole-file-store.ts';
import { JobLedger } from '../jobs/ledger.ts';
import type { JobState as ServiceTask } from '../shared/resource-contract.ts';
import type { WholeFile } from '../shared/whole-file-contract.ts';
import type { UploadsDeps } from './types.ts';
import { partsOf } from './whole-file-sending.ts';

export class WholeFileLedger extends JobLedger<WholeFileCore, WholeFileEvent, StoredWholeFile, WholeFile> {
  readonly #deps: Pick<UploadsDeps, 'clock'>;
  #mayLeave = false;

  constructor(
    deps: Pick<UploadsDeps, 'store' | 'clock' | 'logger' | 'onWholeFileChanged'>,
    file: StoredWholeFile,
  ) {
    const { store, onWholeFileChanged: onChanged } = deps;
    super(
      {
        ...deps,
        id: file.id,
        what: 'file sent as is',
        commit: (work) => store.commit(work),
        save: (stored) => store.wholeFiles.save(stored),
        onChanged,
        pause: (error) => ({ type: 'rest', error: error.toWire() }),
      },
      file,
      coreOf(file),
    );
    this.#deps = deps;
  }

  get isIdle(): boolean {
    return isWholeFileIdle(this.core.state);
  }

  protected step(core: WholeFileCore, event: WholeFileEvent): WholeFileCore {
    return wholeFileTransition(core, event);
  }

  protected merge(
    stored: StoredWholeFile,
    core: WholeFileCore,
    changes: Partial<StoredWholeFile>,
  ): StoredWholeFile {
    const { reason: _, begunForMs: __, taskId: jobId, taskStatus: jobStatus, ...kept } = core;
    const wasOver = isWholeFileOver(stored.state);
    const endedAtMs = wasOver && stored.endedAtMs !== null ? stored.endedAtMs : this.#deps.clock.nowMs();
    const ended = { endedAtMs: isWholeFileOver(core.state) ? endedAtMs : null };
    return { ...stored, ...changes, ...kept, jobId, jobStatus, ...ended };
  }

  protected override onChange(before: WholeFileCore): void {
    if (!isWholeFileSending(before.state)) this.#mayLeave = isWholeFileSending(this.core.state);
  }

  /** True once, for whoever brought it to be sent: it is never sent because a row says that it is being sent. */
  takeLeave(): boolean {
    const mayLeave = this.#mayLeave;
    this.#mayLeave = false;
    return mayLeave;
  }

  /** It was begun again while `ended` ended. */
  goOnFor(ended: WholeFileLedger): void {
    this.#mayLeave = ended.takeLeave() && this.core.state === ended.core.state;
  }

  /** What a look at the service's task changes, where it does; a look that did not work changes nothing. */
  look(task: ServiceTask): void {
    const event: WholeFileEvent = { type: 'look', task };
    const { state, taskStatus, progress } = this.step(this.core, event);
    const isSame = taskStatus === this.core.taskStatus && progress === this.core.progress;
    if (state !== this.core.state || !isSame) this.applyAnyhow([event]);
  }

  view(): WholeFile {
    return wholeFileView(this.stored);
  }
}

export function wholeFileView(stored: StoredWholeFile): WholeFile {
  const { path: _, mtimeMs: __, partBytes, ...view } = stored;
  const parts = partsOf(view.sizeBytes, partBytes);
  const bytesSent = Math.min(view.sizeBytes, view.partsSent * partBytes);
  return { ...view, parts, bytesSent, again: againOf({ ...view, taskId: view.jobId }) };
}

function coreOf(stored: StoredWholeFile): WholeFileCore {
  const { state, error, startAtMs, lateStart, name, publishes, partsSent, file, progress } = stored;
  const task = { taskId: stored.jobId, taskStatus: stored.jobStatus, progress };
  const kept = { state, error, startAtMs, lateStart, name, publishes, partsSent, file, ...task };
  return { ...kept, reason: '', begunForMs: null };
}
