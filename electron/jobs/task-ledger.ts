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

  /** True while its request, or its bytes, are in flight. */
  protected abstract isSending(core: Core): boolean;

  protected override onChange(before: Core): void {
    if (!this.isSending(before)) this.#canSend = this.isSending(this.core);
  }

  /** True once, for the caller that started the sending. The job is never sent only because its row says `sending`. */
  claimSend(): boolean {
    const canSend = this.#canSend;
    this.#canSend = false;
    return canSend;
  }

  /** The job was started again while `ended` was ending. */
  inheritSend(ended: this): void {
    this.#canSend = ended.claimSend() && this.core.state === ended.core.state;
  }

  /** Applies the change from polling the service task, if there is one; a failed poll changes nothing. */
  look(task: ServiceTask): void {
    const event: Look = { type: 'look', task };
    const { state, taskStatus, progress } = this.step(this.core, event);
    const isSame = taskStatus === this.core.taskStatus && progress === this.core.progress;
    if (state !== this.core.state || !isSame) this.applyAnyhow([event]);
  }
}
