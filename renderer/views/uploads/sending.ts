/** Whether anything can be sent at present. Reading files and preparing uploads is always possible. */
import type { LaneStatus } from '../../../electron/shared/traffic-model.ts';
import type { UploadJob } from '../../../electron/shared/upload-model.ts';
import { laneOf } from '../../lib/lanes.ts';
import { app } from '../../state/app.svelte.ts';
import { traffic } from '../../state/traffic.svelte.ts';

interface SendingBlock {
  /** A sentence to show in the view. */
  text: string;
  /** Whether the reason is permanent, so that nothing can be planned for later either. */
  isForGood: boolean;
  /** Whether a job started now waits, and is sent automatically later. */
  waits: boolean;
  tone: 'info' | 'warn';
}

/** The lane of a job's rows; null until it was used. */
export function laneOfJob(job: UploadJob): LaneStatus | null {
  return laneOf(traffic.lanes, job.plan.mode === 'publish' ? 'POST /v3/events' : 'PATCH /v3/events');
}

/** Whether the user paused the requests of this job. */
export function isPausedByHand(job: UploadJob): boolean {
  return laneOfJob(job)?.isPaused ?? traffic.overview.isAllPaused;
}

/** The job as it is displayed: if it is running while nothing can be sent, it is shown as waiting. */
export function shownJob(job: UploadJob): UploadJob {
  const phase = app.network.phaseOf(job.connectionId);
  const isCutOff = phase === 'switched-off' || phase === 'unreachable' || phase === 'unauthorized';
  if ((!isCutOff && !isPausedByHand(job)) || (job.state !== 'running' && job.state !== 'waiting')) return job;
  return { ...job, state: 'waiting', rowsPerSecond: null, etaMs: null };
}

/**
 * The reason why a job cannot be started, with the chosen start; null if it can. A job that would wait can be started.
 */
export function startBlock(when: 'now' | 'later'): SendingBlock | null {
  const block = sendingBlock();
  if (block === null || block.waits) return null;
  return when === 'later' && !block.isForGood ? null : block;
}

/** The reason why nothing can be sent; null if it can. Reactive if read in a template. */
export function sendingBlock(): SendingBlock | null {
  const { active } = app.connections;
  if (active?.isReadOnly === true) {
    return {
      text: `${active.name} is a read-only connection: you can prepare and check files, but not send or delete.`,
      isForGood: true,
      waits: false,
      tone: 'info',
    };
  }
  switch (app.network.phaseOf(app.connections.activeId)) {
    case 'switched-off':
      return {
        text: 'Working offline: nothing is sent or deleted now. What you begin waits until you go online.',
        isForGood: false,
        waits: true,
        tone: 'info',
      };
    case 'unreachable':
      return {
        text: 'The service cannot be reached: nothing is sent or deleted now. What you begin waits until it answers again.',
        isForGood: false,
        waits: true,
        tone: 'warn',
      };
    case 'unauthorized':
      return {
        text: 'The service does not accept the token: nothing is sent or deleted. You can prepare and check files. Enter a new token in the connection.',
        isForGood: false,
        waits: false,
        tone: 'warn',
      };
    default:
      return null;
  }
}
