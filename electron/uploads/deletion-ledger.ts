/** Holds the state of one event deletion, in memory and on disk. */
import {
  type DeletionCore,
  type DeletionEvent,
  deletionStateOf,
  deletionStatusOf,
  deletionTransition,
  isDeletionIdle,
} from '../core/jobs/deletion.ts';
import type { StoredDeletion } from '../db/upload-store.ts';
import { TaskLedger } from '../jobs/task-ledger.ts';
import type { EventDeletion } from '../shared/upload-model.ts';
import type { UploadsDeps } from './types.ts';

type DeletionLedgerDeps = Pick<UploadsDeps, 'store' | 'clock' | 'logger'> & {
  onChanged: (deletion: EventDeletion) => void;
};

export class DeletionLedger extends TaskLedger<DeletionCore, DeletionEvent, StoredDeletion, EventDeletion> {
  readonly #store: UploadsDeps['store'];

  constructor(deps: DeletionLedgerDeps, deletion: StoredDeletion) {
    const { store } = deps;
    super(
      {
        ...deps,
        id: deletion.id,
        what: 'deletion of events',
        commit: (work) => store.commit(work),
        save: (stored) => store.deletions.save(stored),
        pause: (error) => ({ type: 'rest', error: error.toWire() }),
      },
      deletion,
      coreOf(deletion),
    );
    this.#store = store;
  }

  get isIdle(): boolean {
    return isDeletionIdle(this.core.state);
  }

  protected step(core: DeletionCore, event: DeletionEvent): DeletionCore {
    return deletionTransition(core, event);
  }

  protected isOver({ state }: DeletionCore): boolean {
    return isDeletionIdle(state) && state !== 'scheduled';
  }

  protected override kept(core: DeletionCore): Partial<StoredDeletion> {
    const { taskId: serviceJobId, progress } = core;
    return { state: deletionStatusOf(core), serviceJobId, progress };
  }

  protected isSending({ state }: DeletionCore): boolean {
    return state === 'sending';
  }

  view(): EventDeletion {
    return deletionView(this.#store, this.stored);
  }
}

export function deletionView(store: UploadsDeps['store'], deletion: StoredDeletion): EventDeletion {
  const { id: deletionId, modelId, what, createdAtMs: atMs, startAtMs, lateStart } = deletion;
  const { state: status, serviceJobId: jobId, progress, error } = deletion;
  const asked = { deletionId, modelId, what, atMs, startAtMs, lateStart };
  return { ...asked, jobId, status, progress, error, uploads: store.deletions.uploadsOf(deletionId) };
}

function coreOf(deletion: StoredDeletion): DeletionCore {
  const { state: status, serviceJobId: taskId, progress, error, startAtMs, lateStart } = deletion;
  const state = deletionStateOf(status, taskId);
  const taskStatus = taskId === null ? null : status;
  return {
    state,
    reason: '',
    error,
    startAtMs,
    lateStart,
    taskId,
    taskStatus,
    progress,
    begunForMs: null,
  };
}
