/** Tasks on a job besides its run, for example a check of its results. */
import { AppError } from '../shared/errors.ts';
import type { HostedLedger, JobRunner } from './types.ts';

/** A task only reads, so it can be ended at once when the program ends. */
export function taskRunner(task: (signal: AbortSignal) => Promise<void>): JobRunner {
  const ending = new AbortController();
  const abort = () => ending.abort();
  return { isTask: true, loop: { done: task(ending.signal), wake: () => undefined, stop: abort, abort } };
}

/** The error for a change that must wait for the run of a job or a task on it. `what`: a noun for the job. */
export function busyError(
  what: string,
  { ledger, runner }: { ledger: HostedLedger; runner: JobRunner },
): AppError {
  if (!ledger.isIdle) return new AppError('CONFLICT', `This ${what} is running. Pause it first.`);
  return new AppError(
    'CONFLICT',
    runner.isTask === true
      ? `Something else is being done with this ${what}. Try again when that has ended.`
      : `The last work on this ${what} is being completed. Try again in a moment.`,
  );
}
