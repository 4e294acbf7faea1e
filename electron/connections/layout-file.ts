/**
 * What the window remembers of one connection: open tabs, column layouts. One small JSON file in the connection's
 * folder, so that it goes with the connection: names in it come from the service.
 */

import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Logger } from '../core/ports.ts';
import { whenFreeLater } from '../shared/busy-files.ts';
import { AppError } from '../shared/errors.ts';
import { parseExact } from '../shared/exact-json.ts';

/** It is written whole at every change. */
const MOST_CHARS = 1_000_000;

const keptTabs = z.object({ list: z.array(z.object({ id: z.string() })) });

export interface LayoutFile {
  /** Everything remembered, by key; empty where there is nothing or the file cannot be read. */
  read(): Record<string, unknown>;
  /** Ids of the tabs that are open, or were when the window was closed. */
  openTabIds(): string[];
  /**
   * Remembers one value, for every reader at once; null forgets it. Resolves when it is on the disk, which nobody
   * waits for meanwhile. Rejects with INVALID_ARGUMENT where it all becomes too much.
   */
  write(key: string, value: unknown): Promise<void>;
  /** Resolves when all that was to be written is on the disk. */
  settled(): Promise<void>;
}

export function createLayoutFile(file: string, logger: Logger): LayoutFile {
  let values: Record<string, unknown> | null = null;
  const read = (): Record<string, unknown> => {
    values ??= load(file, logger);
    return values;
  };
  /** What is to be written next; of several changes during one writing only the last state. */
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
        // Tabs that are not remembered are no reason to stop work.
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
      if (text.length > MOST_CHARS) {
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
