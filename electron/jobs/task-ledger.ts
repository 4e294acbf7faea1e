/** The ledger of a job that is sent once and that a task of the service finishes. */
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
  #mayLeave = false;

  /** Its request, or its bytes, are on their way. */
  protected abstract isSending(core: Core): boolean;

  protected override onChange(before: Core): void {
    if (!this.isSending(before)) this.#mayLeave = this.isSending(this.core);
  }

  /** True once, for whoever brought it to be sent: it is never sent because a row says that it is being sent. */
  takeLeave(): boolean {
    const mayLeave = this.#mayLeave;
    this.#mayLeave = false;
    return mayLeave;
  }

  /** It was begun again while `ended` ended. */
  goOnFor(ended: this): void {
    this.#mayLeave = ended.takeLeave() && this.core.state === ended.core.state;
  }

  /** What a look at the service's task changes, where it does; a look that did not work changes nothing. */
  look(task: ServiceTask): void {
    const event: Look = { type: 'look', task };
    const { state, taskStatus, progress } = this.step(this.core, event);
    const isSame = taskStatus === this.core.taskStatus && progress === this.core.progress;
    if (state !== this.core.state || !isSame) this.applyAnyhow([event]);
  }
}
