/** Texts about the state of the service in the status bar. Pure. */
import type { ErrorCode } from '../../electron/shared/errors.ts';
import type { NetworkState } from '../../electron/shared/model.ts';

type Tone = 'ok' | 'off' | 'warn' | 'bad';

const STATES: Readonly<Record<NetworkState['state'], { tone: Tone; text: string }>> = {
  unknown: { tone: 'off', text: 'not connected yet' },
  online: { tone: 'ok', text: 'online' },
  'switched-off': { tone: 'off', text: 'Working offline' },
  unreachable: { tone: 'bad', text: 'service unreachable' },
  unauthorized: { tone: 'warn', text: 'token not accepted' },
};

/** Causes of an unavailable service that the user can fix have their own text. */
const CAUSES: Readonly<Partial<Record<ErrorCode, { tone: Tone; text: string }>>> = {
  SAMPLE_STOPPED: { tone: 'off', text: 'sample service stopped' },
  TLS_FAILED: { tone: 'bad', text: 'certificate not accepted' },
  PROXY_FAILED: { tone: 'bad', text: 'proxy does not connect' },
  NOT_THIS_SERVICE: { tone: 'bad', text: 'something else answers' },
  REDIRECTED: { tone: 'bad', text: 'something else answers' },
};

/** `advice`: the problem and what to do about it, if there is one. */
export function networkWords(network: NetworkState | null): { tone: Tone; text: string; advice: string } {
  const error = network?.error ?? null;
  const words = (error && CAUSES[error.code]) ?? STATES[network?.state ?? 'unknown'];
  const advice =
    error === null ? 'State of the service' : [error.message, error.details.nextStep ?? ''].join(' ').trim();
  return { ...words, advice };
}
