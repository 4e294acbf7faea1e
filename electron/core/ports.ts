/** External dependencies of the core. Production passes real ones, tests virtual ones. */
export interface Clock {
  /** Wall time in whole milliseconds since 1970. May jump; use it for values that outlive the process. */
  nowMs(): number;
  /** Monotonic milliseconds. Never stored. */
  monotonicMs(): number;
  /**
   * Runs `callback` once after `delayMs` (clamped to 2^31-1); returns a function that cancels it. `what`: a short name
   * of the work, for the log and for the notice if it fails.
   */
  setTimer(callback: () => void, delayMs: number, what?: string): () => void;
}

export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** A random UUID, version 4. */
  uuid(): string;
}

export type LogFields = Record<string, string | number | boolean | null | undefined>;

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}
