/**
 * The window's state for one connection: open tabs, column layouts. It is a small JSON file in the connection's folder,
 * so that it is deleted with the connection, because it contains names from the service.
 */

import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import type { Logger } from '../core/ports.ts';
import { whenFreeLater } from '../shared/busy-files.ts';
import { AppError } from '../shared/errors.ts';
import { parseExact } from '../shared/exact-json.ts';
import * as z from '../shared/zod.ts';

/** Maximum size of the file, which is rewritten at every change. */
const MAX_CHARS = 1_000_000;

const keptTabs = z.object({ list: z.array(z.object({ id: z.string() })) });

export interface LayoutFile {
  /** All stored values by key; empty if there are none or the file cannot be read. */
  read(): Record<string, unknown>;
  /** Ids of the open tabs; if the window is closed, of those that were open last. */
  openTabIds(): string[];
  /**
   * Stores a value, which readers see at once; null deletes it. Resolves when the value is on disk. Rejects with
   * INVALID_ARGUMENT if the file would become too large.
   */
  write(key: string, value: unknown): Promise<void>;
  /** Resolves when all pending writes are on disk. */
  settled(): Promise<void>;
}

export function createLayoutFile(file: string, logger: Logger): LayoutFile {
  let values: Record<string, unknown> | null = null;
  const read = (): Record<string, unknown> => {
    values ??= load(file, logger);
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

function load(file: string, logger: Logger): Record<string, unknown> {
  try {
    const parsed: unknown = parseExact(readFileSync(file, 'utf8'));
    return typeof parsed === 'object' && parsed !== null ? Object.fromEntries(Object.entries(parsed)) : {};
  } catch (thrown) {
    const isMissing = thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';
    if (!isMissing) logger.warn('layout not read', { reason: String(thrown) });
    return {};
  }
}
