/**
 * A copy of a connection's name and address in its own folder, with its stored data: if the store of connections is
 * lost, nothing else says to which service the data belongs. It is deleted with the folder.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Logger } from '../core/ports.ts';
import type { DataPaths } from '../platform/paths.ts';
import { whenFree } from '../shared/busy-files.ts';
import { type Connection, connection } from '../shared/model.ts';

type Places = Pick<DataPaths, 'connectionsDir' | 'connectionDir' | 'connectionFile'>;

/** Writes the copy if it does not exist yet; a failure is only logged. */
export function keepConnectionFile(paths: Places, value: Connection, logger: Logger): void {
  const file = paths.connectionFile(value.id);
  const text = JSON.stringify(value);
  try {
    if (readText(file) === text) return;
    mkdirSync(paths.connectionDir(value.id), { recursive: true, mode: 0o700 });
    writeFileSync(`${file}.new`, text, { mode: 0o600 });
    whenFree(() => renameSync(`${file}.new`, file));
  } catch (thrown) {
    logger.warn('connection not noted in its folder', { reason: String(thrown) });
  }
}

/** All connections with a readable copy; unreadable copies are skipped and logged. */
export function readConnectionFiles(paths: Places, logger: Logger): Connection[] {
  return namesIn(paths.connectionsDir)
    .flatMap((id) => {
      try {
        const text = readText(paths.connectionFile(id));
        const parsed = text === null ? null : connection.parse(JSON.parse(text));
        return parsed?.id === id ? [parsed] : [];
      } catch (thrown) {
        logger.warn('connection not read from its folder', { id, reason: String(thrown) });
        return [];
      }
    })
    .sort((a, b) => a.createdAtMs - b.createdAtMs);
}

const isMissing = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && ['ENOENT', 'ENOTDIR'].includes(String(thrown.code));

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    if (isMissing(thrown)) return null;
    throw thrown;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if (isMissing(thrown)) return [];
    throw thrown;
  }
}
