/**
 * The window's state for one connection: open tabs, column layouts. It is a small JSON file in the connection's folder,
 * so that it is deleted with the connection, because it contains names from the service.
 */

import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import type { Logger } from '../core/ports.ts';
import { whenFree, whenFreeLater } from '../shared/busy-files.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { parseExact } from '../shared/exact-json.ts';
import * as z from '../shared/zod.ts';

/** Maximum size of the file, which is rewritten at every change. */
const MAX_CHARS = 1_000_000;

const keptTabs = z.object({ list: z.array(z.object({ id: z.string() })) });

export interface LayoutFile {
  /**
   * All stored values by key; empty if there are none or the file is damaged. The first write copies a damaged file.
   * Throws STORE_FAILED if the file cannot be read. Nothing is written until a later call can read it.
   */
  read(): Record<string, unknown>;
  /** Ids of the open tabs; if the window is closed, of those that were open last. Throws like `read`. */
  openTabIds(): string[];
  /**
   * Stores a value, which readers see at once; null deletes it. Resolves when the value is on disk. Rejects with
   * INVALID_ARGUMENT if the file would become too large, and like `read`.
   */
  write(key: string, value: unknown): Promise<void>;
  /** Resolves when all pending writes are on disk. */
  settled(): Promise<void>;
}

export function createLayoutFile(file: string, logger: Logger): LayoutFile {
  let values: Record<string, unknown> | null = null;
  let isDamaged = false;
  const read = (): Record<string, unknown> => {
    if (values === null) {
      const stored = load(file, logger);
      isDamaged = stored === 'damaged';
      values = stored === 'damaged' ? {} : stored;
    }
    return values;
  };
  /** The state to write next; changes during a write replace it, so that only the last state is written. */
  let next: string | null = null;
  let writing: Promise<void> | null = null;
  const writeNext = async () => {
    while (next !== null) {
      const text: string = next;
      next = null;
      try {
        await writeFile(`${file}.new`, text, { mode: 0o600 });
        if (isDamaged) await keepDamaged(file);
        isDamaged = false;
        await whenFreeLater(() => rename(`${file}.new`, file));
      } catch (thrown) {
        // Ignored, because a failure to save tabs must not stop other work.
        logger.warn('layout not saved', { reason: String(thrown) });
      }
    }
    writing = null;
  };
  return {
    read,
    openTabIds: () => {
      const tabs = keptTabs.safeParse(read()['tabs']);
      return tabs.success ? tabs.data.list.map(({ id }) => id) : [];
    },
    settled: async () => {
      await writing;
    },
    write: async (key, value) => {
      const { [key]: _, ...others } = read();
      const changed = value === null ? others : { ...others, [key]: value };
      const text = JSON.stringify(changed);
      if (text.length > MAX_CHARS) {
        throw new AppError(
          'INVALID_ARGUMENT',
          'The layout holds more than 1 MB. Close tabs that are not needed.',
        );
      }
      values = changed;
      next = text;
      writing ??= writeNext();
      await writing;
    },
  };
}

/** Does nothing if the damaged file was removed meanwhile. */
async function keepDamaged(file: string): Promise<void> {
  try {
    await whenFreeLater(() => rename(file, `${file}.damaged`));
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown;
  }
}

const isMissing = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';

function load(file: string, logger: Logger): Record<string, unknown> | 'damaged' {
  const text = readText(file, logger);
  if (text === null) return {};
  try {
    const parsed: unknown = parseExact(text);
    if (typeof parsed === 'object' && parsed !== null) return Object.fromEntries(Object.entries(parsed));
    throw new AppError('STORE_DAMAGED', 'The layout is not an object.');
  } catch (thrown) {
    logger.warn('layout not read', { reason: toAppError(thrown).message });
    return 'damaged';
  }
}

/** Null if there is no file. */
function readText(file: string, logger: Logger): string | null {
  try {
    return whenFree(() => readFileSync(file, 'utf8'));
  } catch (thrown) {
    if (isMissing(thrown)) return null;
    logger.warn('layout not read', { reason: String(thrown) });
    throw new AppError(
      'STORE_FAILED',
      'The tabs, saved views and charts of this connection could not be read. Check that other programs do not use its folder and that you may read it, then try again.',
    );
  }
}
