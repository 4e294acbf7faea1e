/** An act of a dialog: whether it runs, and its error in place. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';

export class Attempt {
  /** The error of the last act; null while one runs, and if it succeeded. */
  error = $state.raw<AppError | null>(null);
  isBusy = $state(false);

  /** Never throws. */
  async run(act: () => Promise<void>): Promise<void> {
    this.error = null;
    this.isBusy = true;
    try {
      await act();
    } catch (thrown) {
      this.error = toAppError(thrown);
    } finally {
      this.isBusy = false;
    }
  }
}
