import { appendFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import type { Clock, LogFields, Logger } from '../core/ports.ts';
import { DEFAULT_SETTINGS } from '../shared/settings.ts';

const FLUSH_DELAY_MS = 200;
const MASK = '[token]';

interface LogFileBounds {
  fileBytes: number;
  files: number;
}

export interface FileLogger extends Logger {
  /** Sets the size at which files are rotated, and the number of old ones that are kept. */
  keep(bounds: LogFileBounds): void;
  /** Masks `secret` wherever it occurs in later lines, so that it never reaches the file. */
  redact(secret: string): void;
  /** Writes pending lines; call it before the process ends. */
  flushSync(): void;
  /** Writes pending lines now instead of a moment later; resolves when they are written. */
  flush(): Promise<void>;
  /** Removes all log files, so that they contain no trace of deleted data. */
  clear(): Promise<void>;
  file: string;
}

/** Masks bearer credentials and all registered secrets in a line of the log. */
export function maskSecrets(line: string, secrets: Iterable<string>): string {
  let masked = line.replace(/\bBearer\s+[\x21-\x7e]+/gi, `Bearer ${MASK}`);
  for (const secret of secrets) masked = masked.replaceAll(secret, MASK);
  return masked;
}

/**
 * A log of JSON lines in `dir`, with masked secrets and rotated by size. A log that cannot be written never stops other
 * work.
 */
export function createFileLogger(dir: string, clock: Clock): FileLogger {
  const file = join(dir, 'spandeck.log');
  const secrets = new Set<string>();
  let waiting: string[] = [];
  let cancelTimer: (() => void) | null = null;
  let tail = Promise.resolve();
  let isReported = false;
  let bounds: LogFileBounds = { fileBytes: DEFAULT_SETTINGS.logFileBytes, files: DEFAULT_SETTINGS.logFiles };

  const take = () => {
    cancelTimer?.();
    cancelTimer = null;
    const text = waiting.join('');
    waiting = [];
    return text;
  };
  const report = (problem: unknown) => {
    // Reported only once, because a failing disk also rejects the following lines.
    if (isReported) return;
    isReported = true;
    process.stderr.write(
      `log not written: ${problem instanceof Error ? problem.message : String(problem)}\n`,
    );
  };
  const prepare = () => {
    // Not the folder around it: a data folder that was moved away must not begin anew in its former place.
    if (!existsSync(dir)) mkdirSync(dir, { mode: 0o700 });
    rotate(file, bounds);
  };
  const flush = () => {
    const text = take();
    if (text === '') return;
    tail = tail
      .then(() => {
        prepare();
        return appendFile(file, text, { mode: 0o600 });
      })
      .catch(report);
  };
  const write = (level: string, message: string, fields: LogFields = {}) => {
    const line = JSON.stringify({ at: new Date(clock.nowMs()).toISOString(), level, message, ...fields });
    waiting.push(`${maskSecrets(line, secrets)}\n`);
    cancelTimer ??= clock.setTimer(flush, FLUSH_DELAY_MS);
  };

  return {
    file,
    keep: (wanted) => {
      bounds = wanted;
    },
    debug: (message, fields) => write('debug', message, fields),
    info: (message, fields) => write('info', message, fields),
    warn: (message, fields) => write('warn', message, fields),
    error: (message, fields) => write('error', message, fields),
    redact: (secret) => {
      // Shorter texts are not masked, because they would also mask ordinary words.
      if (secret.length >= 6) secrets.add(secret);
    },
    flush: () => {
      flush();
      return tail;
    },
    clear: () => {
      take();
      tail = tail.then(() => {
        for (const old of logFiles(file)) rmSync(old, { force: true });
      });
      return tail;
    },
    flushSync: () => {
      const text = take();
      if (text === '') return;
      try {
        prepare();
        appendFileSync(file, text, { mode: 0o600 });
      } catch (problem) {
        report(problem);
      }
    },
  };
}

function logFiles(file: string): string[] {
  const { dir, base } = parse(file);
  if (!existsSync(dir)) return [];
  return readdirSync(dir)
    .filter(
      (name) => name === base || (name.startsWith(`${base}.`) && /^\d+$/.test(name.slice(base.length + 1))),
    )
    .map((name) => join(dir, name));
}

function rotate(file: string, { fileBytes, files }: LogFileBounds): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size < fileBytes) return;
  // There may be more files if a higher number was kept earlier.
  for (const old of logFiles(file))
    if (Number(old.slice(file.length + 1)) >= files) rmSync(old, { force: true });
  for (let n = files - 1; n >= 1; n -= 1) moveIfThere(`${file}.${n}`, `${file}.${n + 1}`);
  moveIfThere(file, `${file}.1`);
}

/** Another process that uses the data folder may have just rotated the files. */
function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (problem) {
    const isGone = problem instanceof Error && 'code' in problem && problem.code === 'ENOENT';
    if (!isGone) throw problem;
  }
}
