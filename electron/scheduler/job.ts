/** One request on its way through the scheduler, and everybody who waits for its answer. */
import type { Attempt } from '../core/attempt.ts';
import type { Priority } from '../core/priority.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { Group, Queued } from './lane-queue.ts';
import type { LaneState } from './lanes.ts';
import type { AttemptContext, Sent } from './types.ts';

export interface Sharer {
  resolve: (sent: Sent<unknown>) => void;
  reject: (error: AppError) => void;
  /** Stops listening to the sharer's cancel signal. */
  detach: () => void;
}

/** Somebody looks at the screen for the answer. */
export const isInteractive = (priority: Priority) => priority === 'view' || priority === 'click';

export type JobState = 'queued' | 'delayed' | 'in-flight' | 'settled';

export class Job implements Queued {
  readonly lane: LaneState;
  priority: Priority;
  group: string;
  readonly isRepeatSafe: boolean;
  readonly shareKey: string | null;
  readonly run: (context: AttemptContext) => Promise<Attempt<unknown>>;
  readonly sharers = new Set<Sharer>();
  state: JobState = 'queued';
  /** Requests sent. */
  attempts = 0;
  /** Of these: answered with 429. */
  refusals = 0;
  /** Of these: sent to find out whether the service is back, in vain. */
  failedProbes = 0;
  isProbe = false;
  waitingSinceMs: number;
  queuedMs = 0;
  networkMs = 0;
  openUntilMs = 0;
  permitId = 0;
  controller: AbortController | null = null;
  inGroup: Group | null = null;
  before: Queued | null = null;
  after: Queued | null = null;

  constructor(
    lane: LaneState,
    submission: {
      priority: Priority;
      group?: string;
      isRepeatSafe: boolean;
      shareKey?: string;
      attempt: (context: AttemptContext) => Promise<Attempt<unknown>>;
    },
    nowMs: number,
  ) {
    this.lane = lane;
    this.priority = submission.priority;
    this.group = submission.group ?? '';
    this.isRepeatSafe = submission.isRepeatSafe;
    this.shareKey = submission.shareKey ?? null;
    this.run = (context) => submission.attempt(context);
    this.waitingSinceMs = nowMs;
  }

  /** Somebody looks at the screen for this answer. */
  get isInteractive(): boolean {
    return isInteractive(this.priority);
  }

  /** An attempt that throws breaks its contract; whether it sent something is then not known. */
  async send(signal: AbortSignal): Promise<Attempt<unknown>> {
    try {
      return await this.run({ attempt: this.attempts, signal });
    } catch (thrown) {
      return { kind: 'failed', outcome: 'unknown', error: toAppError(thrown) };
    }
  }

  resolve(value: unknown, status: number): void {
    const { attempts, queuedMs, networkMs } = this;
    this.#settle((sharer) => sharer.resolve({ value, status, attempts, queuedMs, networkMs }));
  }

  reject(error: AppError): void {
    this.#settle((sharer) => sharer.reject(error));
  }

  #settle(tell: (sharer: Sharer) => void): void {
    this.state = 'settled';
    this.lane.forgetShare(this);
    for (const sharer of this.sharers) {
      sharer.detach();
      tell(sharer);
    }
    this.sharers.clear();
  }
}

export function cancelled(job: Job | null, operation: string): AppError {
  const wasSent = job !== null && job.state === 'in-flight';
  return new AppError(
    'CANCELLED',
    wasSent
      ? `${operation} was cancelled after it was sent: the service may have carried it out.`
      : `${operation} was cancelled before it was sent.`,
    { operation, outcome: wasSent ? 'unknown' : 'unsent' },
  );
}
