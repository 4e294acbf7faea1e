/** The ledger of a job that sends one request and is finished by a service task. */
import type { JobState as ServiceTask } from '../shared/resource-contract.ts';
import { JobLedger, type StoredHead } from './ledger.ts';
import type { JobCore } from './types.ts';

interface TaskCore extends JobCore {
  readonly taskStatus: string | null;
  readonly progress: number | null;
}

interface Look {
  type: 'look';
  task: ServiceTask;
}

export abstract class TaskLedger<
  Core extends TaskCore,
  Event,
  Stored extends StoredHead,
  View,
> extends JobLedger<Core, Event | Look, Stored, View> {
  #canSend = false;

  /** True while the request, or the bytes of a file, are in flight. */
  protected abstract isSending(core: Core): boolean;

  protected override onChange(before: Core): void {
    if (!this.isSending(before)) this.#canSend = this.isSending(this.core);
  }

  /**
   * Returns true once, for the caller that started the sending. A stored state of `sending` alone never causes a
   * request.
   */
  claimSend(): boolean {
    const canSend = this.#canSend;
    this.#canSend = false;
    return canSend;
  }

  /** Passes on the right to send, if the job was started again while `ended` was ending. */
  inheritSend(ended: this): void {
    this.#canSend = ended.claimSend() && this.core.state === ended.core.state;
  }

  /** Applies the result of polling the service task, if there is one. A failed poll changes nothing. */
  look(task: ServiceTask): void {
    const event: Look = { type: 'look', task };
    const { state, taskStatus, progress } = this.step(this.core, event);
    const isSame = taskStatus === this.core.taskStatus && progress === this.core.progress;
    if (state !== this.core.state || !isSame) this.applyAnyhow([event]);
  }
}
