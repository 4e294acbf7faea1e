/** Remembers why work failed, because it is tried again and again, and the same reason need not be logged each time. */
import { toAppError } from '../shared/errors.ts';

export class LoggedOnce {
  readonly #reasons = new Map<string | null, string>();

  /** Calls `log` unless the last failure of this id had the same reason. `id`: null for all work. */
  note(id: string | null, problem: unknown, log: () => void): void {
    const reason = toAppError(problem).message;
    if (this.#reasons.get(id) === reason) return;
    this.#reasons.set(id, reason);
    log();
  }

  /** Call after a success, or if the id does not exist any more. */
  forget(id: string | null): void {
    this.#reasons.delete(id);
  }
}
