/**
 * What the window remembers of one connection: open tabs, column layouts. One small JSON file in the connection's
 * folder, so that it goes with the connection: names in it come from the service.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Logger } from '../core/ports.ts';

export interface LayoutFile {
  /** Everything remembered, by key; empty where there is nothing or the file cannot be read. */
  read(): Record<string, unknown>;
  /** Remembers one value; null forgets it. */
  write(key: string, value: unknown): void;
}

export function createLayoutFile(file: string, logger: Logger): LayoutFile {
  let values: Record<string, unknown> | null = null;
  const read = (): Record<string, unknown> => {
    values ??= load(file, logger);
    return values;
  };
  return {
    read,
    write: (key, value) => {
      const { [key]: _, ...others } = read();
      values = value === null ? others : { ...others, [key]: value };
      try {
        writeFileSync(`${file}.new`, JSON.stringify(values), { mode: 0o600 });
        renameSync(`${file}.new`, file);
      } catch (thrown) {
        // Tabs that are not remembered are no reason to stop work.
        logger.warn('layout not saved', { reason: String(thrown) });
      }
    },
  };
}

function load(file: string, logger: Logger): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return typeof parsed === 'object' && parsed !== null ? Object.fromEntries(Object.entries(parsed)) : {};
  } catch (thrown) {
    const isMissing = thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT';
    if (!isMissing) logger.warn('layout not read', { reason: String(thrown) });
    return {};
  }
}
