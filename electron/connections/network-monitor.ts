import type { Clock } from '../core/ports.ts';
import { type AppError, type ErrorCode, isUnreachable, toAppError } from '../shared/errors.ts';
import type { NetworkState, Silence } from '../shared/model.ts';

const FIRST_PROBE_MS = 2_000;
/**
 * Errors that mean that something else answers: at this address only, or a network's sign-in page for all addresses.
 */
const FOREIGN: ReadonlySet<ErrorCode> = new Set(['NOT_THIS_SERVICE', 'REDIRECTED']);
/** Minimum interval between reports of the last answer's time. */
const TOLD_EVERY_MS = 10_000;

export interface NetworkMonitor {
  state(): NetworkState;
  isSwitchedOff(): boolean;
  /** Sets the person's switch; no request is sent while it is on. */
  setOffline(isOffline: boolean): void;
  /** Notes that a call was answered. */
  sawAnswer(): void;
  /**
   * Notes that a call failed. `canRefuseToken`: false for an operation whose 401 says nothing about the token as a
   * whole.
   */
  sawFailure(error: AppError, canRefuseToken?: boolean): void;
  /** Notes that a request has had no answer for a long time. Returns a function to call when the wait ends. */
  sawSilence(silence: Silence): () => void;
  /** Probes the service at once after a known change, so that nobody has to wait for the next probe. */
  look(): void;
  /** Lets the next answer decide again whether the token is accepted. */
  clearError(): void;
  /** Stops probing for good; a running probe then has no effect. */
  stop(): void;
}

/**
 * Tracks whether the service answers. While it does not, it is probed with growing pauses, so that the views refresh
 * automatically once it answers again.
 */
export function createNetworkMonitor(deps: {
  connectionId: string;
  clock: Clock;
  probe: () => Promise<void>;
  /** Maximum pause between two probes. */
  probeEveryMs: () => number;
  /** The saved state of the person's own switch. */
  isOffline: boolean;
  /** False if there is no service, so that the switch cannot be changed. */
  hasService: boolean;
  onChange: (state: NetworkState, previous: NetworkState['state']) => void;
  /** Called if the state is the same, and its reason, `lastAnswerMs` or `silence` has changed. */
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
    const { state: previous, error: before } = current;
    const hasChanged = previous !== state;
    current = {
      ...current,
      state,
      error: error?.toWire() ?? null,
      sinceMs: hasChanged ? clock.nowMs() : current.sinceMs,
    };
    if (state !== 'unreachable') endProbing();
    // Another reason, such as a proxy that asks for a password once the network is back, needs another act.
    if (!hasChanged && before?.code !== error?.code) deps.onAnswer(current);
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
        // A probe that could not be sent (a paused lane, a full queue) says nothing about the service.
        if (current.state === 'unreachable') scheduleProbe();
      },
    );
  };
  const scheduleProbe = () => {
    if (cancelProbe !== null || isStopped) return;
    cancelProbe = clock.setTimer(
      () => {
        cancelProbe = null;
        probeDelayMs = Math.min(probeDelayMs * 2, deps.probeEveryMs());
        probe();
      },
      probeDelayMs,
      'asking whether the service is back',
    );
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
      // The difference is absolute, so that reports continue after the clock was set back.
      if (Math.abs(nowMs - toldAtMs) < TOLD_EVERY_MS) return;
      toldAtMs = nowMs;
      deps.onAnswer(current);
    },
    sawFailure: (error, canRefuseToken = true) => {
      if (current.state === 'switched-off') return;
      const isUnsure = error.code === 'UNAUTHORIZED' && !canRefuseToken;
      if (FOREIGN.has(error.code) || isUnsure) {
        // The probe decides, because it requests something that every service answers.
        if (!isProbing && !(isUnsure && current.state === 'unauthorized')) scheduleProbe();
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
    clearError: () => {
      if (current.state === 'unauthorized') move('unknown', null);
    },
    stop: () => {
      isStopped = true;
      endProbing();
    },
  };
  return monitor;
}
