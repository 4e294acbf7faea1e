/** Runs jobs that send one request and are finished by the service, whose own task is followed to its end. */
import { bindSendPermission, SendPermission } from '../core/jobs/send-permission.ts';
import type { JobState as ServiceTask } from '../shared/resource-contract.ts';
import type { JobRunner, JobWork } from './types.ts';

/** Calls `onLook` at every poll of a service task until the returned function is called. */
type FollowTask = (taskId: string, onLook: (task: ServiceTask) => void) => () => void;

interface TaskWork {
  /**
   * Sends the pending request, if there is one, and handles its failures. Aborting `signal` withdraws requests that
   * were not sent yet.
   */
  send(signal: AbortSignal, isStopping: () => boolean): Promise<void>;
  /** The service task that is still to be followed, or null. */
  taskId(): string | null;
  /** Applies the result of polling that task. */
  look(task: ServiceTask): void;
  /** When the program ends: true if a request in flight may be aborted at once. */
  isWithdrawable(): boolean;
}

export class TaskRunner implements JobRunner {
  readonly loop: JobWork;
  readonly sent: Promise<boolean>;
  readonly #work: TaskWork;
  readonly #sending = new AbortController();
  readonly sendPermission = new SendPermission();
  readonly #following = new AbortController();
  #isStopping = false;

  constructor(work: TaskWork, follow: FollowTask) {
    this.#work = work;
    bindSendPermission(this.sendPermission, this.#sending.signal);
    // Starts in a later turn, so that the caller has the object before it runs.
    this.sent = Promise.resolve().then(() => this.#send());
    const done = this.sent.then((shouldFollow) => (shouldFollow ? this.#follow(follow) : undefined));
    this.loop = {
      done,
      wake: () => undefined,
      stop: () => this.#stop(),
      abort: () => {
        this.#following.abort();
        this.#sending.abort();
      },
    };
  }

  async #send(): Promise<boolean> {
    await this.#work.send(this.#sending.signal, () => this.#isStopping);
    return this.#work.taskId() !== null && !this.#following.signal.aborted;
  }

  #follow(follow: FollowTask): Promise<void> {
    const { signal } = this.#following;
    const taskId = this.#work.taskId();
    if (taskId === null || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      let stop: () => void = () => undefined;
      const end = () => {
        stop();
        resolve();
      };
      signal.addEventListener('abort', end, { once: true });
      stop = follow(taskId, (task) => {
        this.#work.look(task);
        if (task.isOver || this.#work.taskId() === null) end();
      });
    });
  }

  #stop(): void {
    this.#isStopping = true;
    this.#following.abort();
    this.sendPermission.withdraw();
    if (this.#work.isWithdrawable()) this.#sending.abort();
  }
}
