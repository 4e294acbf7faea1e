/**
 * The sessions that answer agents. The client of an agent can run for days, so a session ends when nothing was asked
 * for a moment, or at once when its connection is closed to agents. Other processes can then change, repair or forget
 * the connection.
 */
import type { Clock } from '../../core/ports.ts';
import { AppError, toAppError } from '../../shared/errors.ts';

/** Short, because opening a session again takes a fraction of a second. */
const IDLE_MS = 5_000;
/** Interval of looking for a removed file, which is how another process closes a connection. */
const LOOK_EVERY_MS = 250;

interface HeldSessionsDeps {
  clock: Clock;
  /** Writes a message for the person to standard error. */
  note: (text: string) => void;
  /** Whether agents may read this connection. */
  isOpen: (connectionId: string) => boolean;
  /** Ends the session of a connection. */
  close: (connectionId: string) => Promise<void>;
}

interface Held {
  running: number;
  /** Monotonic time at which the last call ended. */
  idleSinceMs: number;
  closed: AbortController;
}

export class HeldSessions {
  readonly #deps: HeldSessionsDeps;
  readonly #held = new Map<string, Held>();
  readonly #ending = new Map<string, Promise<void>>();
  #stopLooking: (() => void) | null = null;

  constructor(deps: HeldSessionsDeps) {
    this.#deps = deps;
  }

  /**
   * Runs one call of an agent. If the connection is closed, the call's signal is aborted and the call rejects with
   * FORBIDDEN.
   */
  async use<T>(connectionId: string, call: (closed: AbortSignal) => Promise<T>): Promise<T> {
    // Waits for an ending session, because the call opens a new one.
    for (let ending = this.#ending.get(connectionId); ending; ending = this.#ending.get(connectionId))
      await ending;
    // Without an await between here and the increment of running calls, no session can end during a call.
    const known = this.#held.get(connectionId);
    const held = known ?? { running: 0, idleSinceMs: 0, closed: new AbortController() };
    this.#held.set(connectionId, held);
    held.running += 1;
    this.#stopLooking ??= this.#lookLater();
    const { signal } = held.closed;
    const closed = Promise.withResolvers<never>();
    const onClosed = () =>
      closed.reject(
        new AppError('FORBIDDEN', 'The connection was closed to agents meanwhile.', {
          nextStep: 'A person opens one with: spandeck agents open CONNECTION',
        }),
      );
    signal.addEventListener('abort', onClosed, { once: true });
    try {
      return await Promise.race([call(signal), closed.promise]);
    } finally {
      signal.removeEventListener('abort', onClosed);
      held.running -= 1;
      held.idleSinceMs = this.#deps.clock.monotonicMs();
    }
  }

  /** Stops everything at the end of the process. */
  stop(): void {
    this.#stopLooking?.();
    this.#stopLooking = null;
    this.#held.clear();
  }

  #lookLater(): () => void {
    return this.#deps.clock.setTimer(() => this.#look(), LOOK_EVERY_MS, 'ending sessions of agents');
  }

  #look(): void {
    const nowMs = this.#deps.clock.monotonicMs();
    for (const [connectionId, held] of this.#held) {
      const isClosed = !this.#isOpen(connectionId);
      if (!isClosed && (held.running > 0 || nowMs - held.idleSinceMs < IDLE_MS)) continue;
      this.#held.delete(connectionId);
      if (isClosed) held.closed.abort();
      const ending = this.#end(connectionId).finally(() => this.#ending.delete(connectionId));
      this.#ending.set(connectionId, ending);
    }
    this.#stopLooking = this.#held.size === 0 ? null : this.#lookLater();
  }

  async #end(connectionId: string): Promise<void> {
    try {
      await this.#deps.close(connectionId);
    } catch (thrown) {
      this.#deps.note(`The connection was not closed: ${toAppError(thrown).message}`);
    }
  }

  /** Whether agents may read a connection; false if the access cannot be read. */
  #isOpen(connectionId: string): boolean {
    try {
      return this.#deps.isOpen(connectionId);
    } catch {
      return false;
    }
  }
}
