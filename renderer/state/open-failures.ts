/** Errors of attempts that are made again, each known until its attempt succeeds. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';

export class OpenFailures {
  readonly #errors = new Map<string, AppError>();

  /** Notes that an attempt failed. Returns the error to show. */
  failed(attempt: string, thrown: unknown): AppError {
    const error = toAppError(thrown);
    this.#errors.set(attempt, error);
    return error;
  }

  /** Returns what to show in place of `shown` after an attempt succeeded: its own error gives way to one that remains. */
  succeeded(attempt: string, shown: AppError | null): AppError | null {
    const error = this.#errors.get(attempt);
    this.#errors.delete(attempt);
    return error !== undefined && error === shown ? ([...this.#errors.values()].at(-1) ?? null) : shown;
  }

  clear(): null {
    this.#errors.clear();
    return null;
  }
}
