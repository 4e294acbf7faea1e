/** Notes that the application runs, so that the next start knows of an end that was not in order. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import type { Logger } from '../core/ports.ts';
import type { BrokenRun } from '../shared/contract.ts';

const note = z.object({ startedAtMs: z.number(), failure: z.string().nullable() });

export interface RunNote {
  /** The run before this one, if it did not end in order; once. */
  take(): BrokenRun | null;
  /** What nothing handled, for the next start to say. */
  fail(message: string): void;
  /** The application ends in order. */
  end(): void;
}

/**
 * Reads what the run before left in `file` and writes down this one. Call it only as the one instance of a data folder.
 * Where the file cannot be read or written, that is logged and nothing is said.
 */
export function noteRun(file: string, startedAtMs: number, logger: Logger): RunNote {
  const attempt = <T>(doing: string, work: () => T): T | null => {
    try {
      return work();
    } catch (thrown) {
      logger.warn('run not noted', {
        doing,
        reason: thrown instanceof Error ? thrown.message : String(thrown),
      });
      return null;
    }
  };
  const write = (failure: string | null) =>
    void attempt('write', () =>
      writeFileSync(file, JSON.stringify({ startedAtMs, failure }), { mode: 0o600 }),
    );
  let before = readNote(file);
  write(null);
  return {
    take: () => {
      const taken = before;
      before = null;
      return taken;
    },
    fail: write,
    end: () => void attempt('remove', () => rmSync(file, { force: true })),
  };
}

/** A note that was cut off while it was written tells of a run that broke off, too. */
function readNote(file: string): BrokenRun | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    // None is there: the run before ended in order, or this is the first.
    return null;
  }
  const parsed = note.safeParse(jsonOrNull(text));
  return parsed.success ? parsed.data : { startedAtMs: null, failure: null };
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
