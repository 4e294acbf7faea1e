import type { Clock } from '../core/ports.ts';
import { type AppError, type ErrorCode, isUnreachable, toAppError } from '../shared/errors.ts';
import type { NetworkState, Silence } from '../shared/model.ts';

const FIRST_PROBE_MS = 2_000;
/** Something else answers: this one address, or the sign-in page of a network in place of everything. */
const FOREIGN: ReadonlySet<ErrorCode> = new Set(['NOT_THIS_SERVICE', 'REDIRECTED']);
/** When the service answered last is told at most so often. */
const TOLD_EVERY_MS = 10_000;

export interface NetworkMonitor {
  state(): NetworkState;
  isSwitchedOff(): boolean;
  /** The person's own switch: no request leaves while it is on. */
  setOffline(isOffline: boolean): void;
  /** Tells the monitor how a call ended. */
  sawAnswer(): void;
  sawFailure(error: AppError): void;
  /** A request has no answer yet, and is waited for. Answers what to call when that ends. */
  sawSilence(silence: Silence): () => void;
  /** Asks the service at once, where something is known to have changed: a person is not to wait for the next probe. */
  look(): void;
  /** The next answer says anew whether the token is accepted. */
  forgetRefusal(): void;
  /** Ends probing for good; a probe that is on its way changes nothing any more. */
  stop(): void;
}

/**
 * Knows whether the service answers. While it does not, it probes with growing pauses, so that the views
 * refresh by themselves when the service is back.
 */
export function createNetworkMonitor(deps: {
  connectionId: string;
  clock: Clock;
  probe: () => Promise<void>;
  /** The longest pause between two probes. */
  probeEveryMs: () => number;
  /** The person's own switch, as it was left. */
  isOffline: boolean;
  /** False: there is no service, so the switch stays where it is. */
  hasService: boolean;
  onChange: (state: NetworkState, previous: NetworkState['state']) => void;
  /** The service goes on answering, or is silent: only `lastAnswerMs` or `silence` is another. */
  onAnswer: (state: NetworkState) => void;
}): NetworkMonitor {
  const { clock } = deps;
  let current: NetworkState = {
    connectionId: deps.connectionId,
    state: deps.isOffline ? 'switched-off' : 'unknown',
    sinceMs: clock.nowMs(),
    error: null,
    lastAnswerMs: null,
    silence: null,
  };
  const silences = new Set<Silence>();
  let toldAtMs = Number.NEGATIVE_INFINITY;
  let probeDelayMs = FIRST_PROBE_MS;
  let cancelProbe: (() => void) | null = null;
  let isProbing = false;
  let isStopped = false;

  const move = (state: NetworkState['state'], error: AppError | null) => {
    const previous = current.state;
    const hasChanged = previous !== state;
    current = {
      ...current,
      state,
      error: error?.toWire() ?? null,
      sinceMs: hasChanged ? clock.nowMs() : current.sinceMs,
    };
    if (state !== 'unreachable') endProbing();
    if (!hasChanged) return;
    toldAtMs = clock.nowMs();
    deps.onChange(current, previous);
  };
  const noteSilence = () => {
    const [first = null] = [...silences].sort((a, b) => a.sentAtMs - b.sentAtMs);
    if (first === current.silence) return;
    current = { ...current, silence: first };
    deps.onAnswer(current);
  };
  const endProbing = () => {
    cancelProbe?.();
    cancelProbe = null;
    probeDelayMs = FIRST_PROBE_MS;
  };
  const probe = () => {
    isProbing = true;
    deps.probe().then(
      () => {
        isProbing = false;
      },
      (thrown: unknown) => {
        isProbing = false;
        if (isStopped) return;
        const error = toAppError(thrown);
        if (FOREIGN.has(error.code) && current.state !== 'switched-off') move('unreachable', error);
        else monitor.sawFailure(error);
        // What kept the probe from being sent (a paused lane, a full queue) says nothing about the service.
        if (current.state === 'unreachable') scheduleProbe();
      },
    );
  };
  const scheduleProbe = () => {
    if (cancelProbe !== null || isStopped) return;
    cancelProbe = clock.setTimer(() => {
      cancelProbe = null;
      probeDelayMs = Math.min(probeDelayMs * 2, deps.probeEveryMs());
      probe();
    }, probeDelayMs);
  };

  const monitor: NetworkMonitor = {
    state: () => current,
    isSwitchedOff: () => current.state === 'switched-off',
    setOffline: (isOffline) => {
      if (!deps.hasService) return;
      if (isOffline) move('switched-off', null);
      else if (current.state === 'switched-off') move('unknown', null);
    },
    sawAnswer: () => {
      const nowMs = clock.nowMs();
      current = { ...current, lastAnswerMs: nowMs };
      if (current.state !== 'switched-off') move('online', null);
      // A clock that was set back does not silence it.
      if (Math.abs(nowMs - toldAtMs) < TOLD_EVERY_MS) return;
      toldAtMs = nowMs;
      deps.onAnswer(current);
    },
    sawFailure: (error) => {
      if (current.state === 'switched-off') return;
      if (FOREIGN.has(error.code)) {
        // The probe decides: it asks for what every service answers.
        if (!isProbing) scheduleProbe();
      } else if (error.code === 'UNAUTHORIZED' || error.code === 'NO_TOKEN') move('unauthorized', error);
      else if (isUnreachable(error.code)) {
        move('unreachable', error);
        scheduleProbe();
      } else if (error.details.outcome === 'answered') monitor.sawAnswer();
    },
    sawSilence: (silence) => {
      silences.add(silence);
      noteSilence();
      return () => {
        silences.delete(silence);
        noteSilence();
      };
    },
    look: () => {
      if (current.state === 'switched-off' || isStopped) return;
      endProbing();
      probe();
    },
    forgetRefusal: () => {
      if (current.state === 'unauthorized') move('unknown', null);
    },
    stop: () => {
      isStopped = true;
      endProbing();
    },
  };
  return monitor;
}
