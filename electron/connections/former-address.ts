/**
 * The first address of a connection whose address was changed, stored in the folder of its data. Stores record the
 * service of their jobs, but those of earlier versions do not, and they may not be opened before the address is
 * changed.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { DataPaths } from '../platform/paths.ts';
import { whenFree } from '../shared/busy-files.ts';
import type { Connection } from '../shared/model.ts';

/**
 * The change of a connection's address: the one that a save makes, or else the last one. A pack has no address, and that
 * of the sample service changes with its port.
 */
export function moveOf(
  previous: Connection | null,
  baseUrl: string,
  nowMs: number,
): Pick<Connection, 'movedFrom'> {
  if (previous === null || previous.kind !== 'service') return {};
  if (previous.baseUrl !== baseUrl) return { movedFrom: { baseUrl: previous.baseUrl, atMs: nowMs } };
  return previous.movedFrom === undefined ? {} : { movedFrom: previous.movedFrom };
}

type Places = Pick<DataPaths, 'connectionDir' | 'formerAddressFile'>;

/** Does nothing if an earlier address is stored, or if there is no data yet. */
export async function keepFormerAddress(paths: Places, connectionId: string, address: string): Promise<void> {
  const file = paths.formerAddressFile(connectionId);
  if (existsSync(file) || !existsSync(paths.connectionDir(connectionId))) return;
  await writeFile(file, address, { mode: 0o600, flush: true });
}

/** Null if the address was never changed. */
export function readFormerAddress(paths: Places, connectionId: string): string | null {
  const file = paths.formerAddressFile(connectionId);
  const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  return text === '' ? null : text;
}

/** Removes the address, because every store now records its service. */
export function removeFormerAddress(paths: Places, connectionId: string): void {
  const file = paths.formerAddressFile(connectionId);
  if (existsSync(file)) whenFree(() => rmSync(file, { force: true }));
}
