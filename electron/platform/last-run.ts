/** Notes that the application is running, so that the next start detects an abnormal end. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Logger } from '../core/ports.ts';
import { whenFree } from '../shared/busy-files.ts';
import type { BrokenRun } from '../shared/contract.ts';
import * as z from '../shared/zod.ts';

const note = z.object({ startedAtMs: z.number(), failure: z.string().nullable() });

interface RunNote {
  /** The previous run if it ended abnormally; returned only once. */
  take(): BrokenRun | null;
  /** Records an unhandled error for the next start. */
  fail(message: string): void;
  /** Records a normal end. */
  end(): void;
}

/**
 * Reads the note of the previous run from `file` and writes one for this run. Call it only in the single instance for a
 * data folder. If the file cannot be read or written, that is only logged.
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
    end: () => void attempt('remove', () => whenFree(() => rmSync(file, { force: true }))),
  };
}

/** A truncated note also indicates an abnormal end. */
function readNote(file: string): BrokenRun | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    // There is no note, because the previous run ended normally or this is the first one.
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
