/** Work that is sent once, and that the service finishes by itself: its own task is followed to the end. */
import { Departure, departBy } from '../core/jobs/departure.ts';
import type { JobState as ServiceTask } from '../shared/resource-contract.ts';
import type { JobRunner, JobWork } from './types.ts';

/** Calls `onLook` at every look at a task of the service until the returned function is called. */
type FollowTask = (taskId: string, onLook: (task: ServiceTask) => void) => () => void;

interface TaskWork {
  /** Sends what is still to be sent, if anything, and deals with its failures. `signal`: what has not left is withdrawn. */
  send(signal: AbortSignal, isStopping: () => boolean): Promise<void>;
  /** The task of the service that is still to be followed, or null. */
  taskId(): string | null;
  /** What a look at that task said. */
  look(task: ServiceTask): void;
  /** The program ends: may what is being sent be withdrawn at once? */
  isWithdrawable(): boolean;
}

export class TaskRunner implements JobRunner {
  readonly loop: JobWork;
  readonly sent: Promise<boolean>;
  readonly #work: TaskWork;
  readonly #sending = new AbortController();
  readonly departure = new Departure();
  readonly #following = new AbortController();
  #isStopping = false;

  constructor(work: TaskWork, follow: FollowTask) {
    this.#work = work;
    departBy(this.departure, this.#sending.signal);
    // Whoever starts it first gets hold of it.
    this.sent = Promise.resolve().then(() => this.#send());
    const done = this.sent.then((goesOn) => (goesOn ? this.#follow(follow) : undefined));
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
    this.departure.withdraw();
    if (this.#work.isWithdrawable()) this.#sending.abort();
  }
}
