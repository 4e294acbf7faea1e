import { app, dialog } from 'electron';
import { type AppError, toAppError } from '../shared/errors.ts';

/** Ends the application after an error that nothing handles. */
export interface Failure {
  /** Sets what records the error before the person is notified, because the application ends then. */
  noteBy(note: (error: AppError, stack: string | null) => void): void;
  /** Tells the person, and ends with exit code 1. */
  end(thrown: unknown): void;
  /** Shows a dialog, except in a smoke run, which it would block. */
  say(title: string, message: string): void;
}

export function createFailure({ isSmoke }: { isSmoke: boolean }): Failure {
  let note: (error: AppError, stack: string | null) => void = () => undefined;
  const say = (title: string, message: string) => {
    if (!isSmoke) dialog.showErrorBox(`Spandeck: ${title}`, message);
  };
  return {
    noteBy: (noting) => {
      note = noting;
    },
    say,
    end: (thrown) => {
      const error = toAppError(thrown);
      note(error, thrown instanceof Error ? (thrown.stack ?? null) : null);
      process.stderr.write(`error ${error.code}: ${error.message}\n`);
      say(error.toWire().title, error.message);
      app.exit(1);
    },
  };
}
