/** What follows when an attempt has ended: for the limits, for its origin, for its token and for its callers. */
import type { Attempt } from '../core/attempt.ts';
import { judge } from '../core/retry-policy.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Job, LaneState } from './job.ts';

/** Returns whether something was learned that other processes should read at once. */
export function concludeAttempt(
  dispatcher: Dispatcher,
  job: Job,
  result: Attempt<unknown>,
  receivedAtMs: number,
): boolean {
  const { lane } = job;
  const isUrgent = dispatcher.lanes.conclude(job, result, receivedAtMs, dispatcher.deps.random.next());
  judgeOrigin(dispatcher, job, result, receivedAtMs);
  if (result.kind === 'answered' && result.status === 401) {
    // What was sent before somebody asked anew says nothing about the token as it is now.
    if (job.trip.sentAtMs >= dispatcher.askedAnewAtMs) pauseToken(dispatcher, lane);
  }
  // A cancelled request has nobody left to tell.
  if (job.state === 'in-flight') judgeJob(dispatcher, job, result, receivedAtMs);
  return isUrgent;
}

function judgeOrigin(dispatcher: Dispatcher, job: Job, result: Attempt<unknown>, nowMs: number): void {
  const { logger, random } = dispatcher.deps;
  const { origin } = job.lane;
  const wasProbe = job.trip.isProbe;
  job.trip.isProbe = false;
  const health = origin.judge(result, wasProbe, nowMs, random.next());
  if (health === 'unchanged') return;
  if (health === 'back') logger.info('service is back', { origin: origin.origin });
  if (health === 'probe-failed') job.trip.failedProbes++;
  if (health === 'down') logger.warn('service is down', { origin: origin.origin });
  if (health !== 'back') failInteractive(dispatcher);
}

/** Ends the waiting requests somebody looks at where they would wait for nothing. */
export function failInteractive(dispatcher: Dispatcher): void {
  const waiting: Job[] = [];
  const note = (job: Job) => job.isInteractive && waiting.push(job);
  for (const job of dispatcher.delayed.values()) if (job.state === 'delayed') note(job);
  for (const lane of dispatcher.active) for (const job of lane.queue.interactiveJobs()) note(job);
  for (const job of waiting) {
    const error = dispatcher.refusal(job.lane);
    if (error !== null) dispatcher.drop(job, error);
  }
}

/** Once per token, however many requests are refused. */
function pauseToken(dispatcher: Dispatcher, lane: LaneState): void {
  const { origin, tokenId } = lane.key;
  if (!dispatcher.pauses.add('unauthorized', origin, tokenId)) return;
  dispatcher.deps.logger.warn('token not accepted', { origin });
  failInteractive(dispatcher);
  dispatcher.settings.onUnauthorized(origin, tokenId);
}

function judgeJob(dispatcher: Dispatcher, job: Job, result: Attempt<unknown>, nowMs: number): void {
  // What nearly every answer is needs no judgement.
  if (result.kind === 'answered' && result.status < 400) {
    job.resolve(result.value, result.status);
    return;
  }
  const { lane } = job;
  if (result.kind === 'answered' && result.status === 429) job.trip.refusals++;
  const history = {
    attempts: job.trip.attempts - job.trip.refusals - job.trip.failedProbes,
    refusals: job.trip.refusals,
    isRepeatSafe: job.isRepeatSafe,
    operation: lane.key.operation,
  };
  const { settings, deps } = dispatcher;
  const spend = () => lane.origin.quota.spend();
  const verdict = judge(result, history, settings, deps.random.next(), spend);
  if (verdict.kind === 'settle' && result.kind === 'answered') job.resolve(result.value, result.status);
  else if (verdict.kind === 'fail') job.reject(verdict.error);
  else if (verdict.kind === 'refused') dispatcher.enqueue(job, true);
  else if (verdict.kind === 'retry') {
    const refusal = job.isInteractive ? dispatcher.refusal(lane) : null;
    if (refusal === null) dispatcher.delay(job, nowMs + verdict.delayMs);
    else job.reject(refusal);
  }
}

const UNSEEN_TIME_MS = 120_000;
const ASK_EVERY_MS = 600_000;

/** The wall clock says that more time passed than is proven: it may be right, so the service is asked. */
export function askForTime(dispatcher: Dispatcher, lane: LaneState, nowMs: number): void {
  const { origin } = lane;
  if (nowMs - origin.timeAskedAtMs < ASK_EVERY_MS) return;
  if (dispatcher.deps.clock.nowMs() - nowMs < UNSEEN_TIME_MS) return;
  origin.timeAskedAtMs = nowMs;
  // Whoever is asked may submit at once, and this may be the middle of a transaction.
  queueMicrotask(() => dispatcher.settings.onTimeUnconfirmed(lane.key.origin, lane.key.tokenId));
}
