/** An action of a dialog: whether it is running, and its error, which the dialog shows. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';

export class Attempt {
  /** The error of the last action; null if it succeeded or is still running. */
  error = $state.raw<AppError | null>(null);
  isBusy = $state(false);

  /** Runs the action. Never throws. */
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
