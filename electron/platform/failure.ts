import { app, dialog } from 'electron';
import { type AppError, toAppError } from '../shared/errors.ts';

/** Ends the application after an unhandled error. */
export interface Failure {
  /** Sets a function that records the error before the person is notified, because the application ends then. */
  noteBy(note: (error: AppError, stack: string | null) => void): void;
  /** Notifies the person, and ends the process with exit code 1. */
  end(thrown: unknown): void;
  /** Shows a dialog, except in a smoke run, which a dialog would block. */
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
