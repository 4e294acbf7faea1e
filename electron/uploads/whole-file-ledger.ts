/** Holds the state of one whole-file upload, in memory and on disk. */
import {
  againOf,
  isWholeFileIdle,
  isWholeFileOver,
  isWholeFileSending,
  type WholeFileCore,
  type WholeFileEvent,
  wholeFileTransition,
} from '../core/jobs/whole-file.ts';
import type { StoredWholeFile } from '../db/upload-store.ts';
import { TaskLedger } from '../jobs/task-ledger.ts';
import type { WholeFile } from '../shared/whole-file-contract.ts';
import type { UploadsDeps } from './types.ts';
import { partsOf } from './whole-file-sending.ts';

export class WholeFileLedger extends TaskLedger<WholeFileCore, WholeFileEvent, StoredWholeFile, WholeFile> {
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
  }

  get isIdle(): boolean {
    return isWholeFileIdle(this.core.state);
  }

  protected step(core: WholeFileCore, event: WholeFileEvent): WholeFileCore {
    return wholeFileTransition(core, event);
  }

  protected isOver({ state }: WholeFileCore): boolean {
    return isWholeFileOver(state);
  }

  protected override kept(core: WholeFileCore): Partial<StoredWholeFile> {
    const { partsSent, file, taskId: jobId, taskStatus: jobStatus, progress } = core;
    return { partsSent, file, jobId, jobStatus, progress };
  }

  protected isSending({ state }: WholeFileCore): boolean {
    return isWholeFileSending(state);
  }

  view(): WholeFile {
    return wholeFileView(this.stored);
  }
}

export function wholeFileView(stored: StoredWholeFile): WholeFile {
  const { path: _, mtimeMs: __, reason: ___, partBytes, createdAtMs: startedAtMs, ...view } = stored;
  const parts = partsOf(view.sizeBytes, partBytes);
  const bytesSent = Math.min(view.sizeBytes, view.partsSent * partBytes);
  return { ...view, startedAtMs, parts, bytesSent, again: againOf({ ...view, taskId: view.jobId }) };
}

function coreOf(stored: StoredWholeFile): WholeFileCore {
  const { state, error, startAtMs, lateStart, name, publishes, partsSent, file, progress } = stored;
  const task = { taskId: stored.jobId, taskStatus: stored.jobStatus, progress };
  const kept = { state, error, startAtMs, lateStart, name, publishes, partsSent, file, ...task };
  return { ...kept, reason: '', begunForMs: null };
}
