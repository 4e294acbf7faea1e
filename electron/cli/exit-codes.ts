/** Exit codes of commands, for scripts. Pure. */
import type { AppError, ErrorCode } from '../shared/errors.ts';

export const EXIT_CODES = {
  done: { code: 0, about: 'done' },
  failed: { code: 1, about: 'failed: one line on standard error says why' },
  usage: { code: 2, about: 'not started: a command, option or confirmation (--yes) was wrong or missing' },
  doubtful: { code: 3, about: 'done, but the receipt of the service is in doubt' },
  unreached: {
    code: 4,
    about: 'the service was not reached: offline, no connection, no answer in time, something else answered',
  },
  waits: { code: 5, about: 'not done: it waits for your decision' },
  refused: { code: 6, about: 'refused by the service: its answer says why' },
  incomplete: {
    code: 7,
    about: 'done, but not complete: rows are missing, and the answer states their number',
  },
  gateFailed: { code: 10, about: 'gate: a rule is certainly broken' },
  gateUnsure: { code: 11, about: 'gate: cannot tell; it says how many more items would' },
  gateEmpty: { code: 12, about: 'gate: nothing to judge: no score in common' },
  stopped: { code: 130, about: 'stopped by Ctrl-C, or ended because its terminal was closed' },
} as const satisfies Record<string, { code: number; about: string }>;

const KINDS: Readonly<Partial<Record<ErrorCode, keyof typeof EXIT_CODES>>> = {
  INVALID_ARGUMENT: 'usage',
  RECEIPT_DOUBTFUL: 'doubtful',
  INCOMPLETE: 'incomplete',
  NEEDS_DECISION: 'waits',
  GATE_FAILED: 'gateFailed',
  GATE_UNSURE: 'gateUnsure',
  GATE_EMPTY: 'gateEmpty',
  UNAUTHORIZED: 'refused',
  FORBIDDEN: 'refused',
  DNS_FAILED: 'unreached',
  CONNECTION_REFUSED: 'unreached',
  SAMPLE_STOPPED: 'unreached',
  TIMEOUT: 'unreached',
  PROXY_FAILED: 'unreached',
  TLS_FAILED: 'unreached',
  // CONNECTION_LOST is not included, because the request may have arrived, so a script must not send it again.
  // NOT_THIS_SERVICE and REDIRECTED mean that something else answered, such as the sign-in page of a network.
  NOT_THIS_SERVICE: 'unreached',
  REDIRECTED: 'unreached',
  OFFLINE: 'unreached',
  NOT_STORED: 'unreached',
};

/**
 * The code for an error that ends a command. If a person stopped the command, the code is that for stopping, whatever
 * the error is.
 */
export function exitCodeOf(error: Pick<AppError, 'code' | 'details'>, wasStopped: boolean): number {
  if (wasStopped) return EXIT_CODES.stopped.code;
  const isAnswered = (error.details.status ?? 0) >= 400;
  return EXIT_CODES[KINDS[error.code] ?? (isAnswered ? 'refused' : 'failed')].code;
}
