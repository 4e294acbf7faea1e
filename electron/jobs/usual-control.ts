/** A person's actions on jobs of kinds that need no code of their own for them. */
import type { Jobs } from './jobs.ts';
import type { HostedLedger } from './types.ts';

/** Actions by their names in the channels. */
export const USUAL_ACTIONS = {
  start: 'start',
  pause: 'pause',
  resume: 'resume',
  cancel: 'cancel',
  schedule: 'schedule',
  unschedule: 'unschedule',
} as const;
export type UsualAction = keyof typeof USUAL_ACTIONS;

type Halt = { type: 'pause'; reason: string; error: null } | { type: 'cancel' };
type Event =
  | { type: 'start' | 'resume' | 'unschedule' }
  | { type: 'schedule'; startAtMs: number | null; nowMs: number };

interface WritingLedger extends HostedLedger {
  apply(events: readonly Event[]): void;
}

/**
 * `nowMs`: wall time. `halt`: stops the work on the job. Throws INVALID_ARGUMENT for an action that the job's state
 * does not allow, and CONFLICT if another process is running it.
 */
export function usualControl<Ledger extends WritingLedger>(
  jobs: Jobs<Ledger>,
  { id, action, startAtMs }: { id: string; action: UsualAction; startAtMs: number | null },
  { nowMs, halt }: { nowMs: number; halt: (id: string, event: Halt) => void },
): void {
  jobs.checkFree(id);
  switch (action) {
    case 'start':
    case 'resume':
      jobs.own(id);
      jobs.start(id, (ledger) => {
        if (ledger.isIdle) ledger.apply([{ type: ledger.core.state === 'ready' ? 'start' : 'resume' }]);
      });
      break;
    case 'schedule':
      jobs.checkIdle(id);
      jobs.change(id, (ledger) => ledger.apply([{ type: 'schedule', startAtMs, nowMs }]));
      break;
    case 'unschedule':
      jobs.change(id, (ledger) => ledger.apply([{ type: 'unschedule' }]));
      break;
    case 'pause':
      halt(id, { type: 'pause', reason: 'Paused.', error: null });
      break;
    case 'cancel':
      halt(id, { type: 'cancel' });
  }
  jobs.starts.changed(id);
}
