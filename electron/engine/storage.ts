/**
 * The size of the data folder in bytes, by connection and kind. Reads names and sizes of files; the contents of stores
 * are measured by a thread.
 */
import { lstat, readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Maintenance } from '../db/maintenance-thread.ts';
import type { DataPaths } from '../platform/paths.ts';
import {
  type Sizes,
  STORES,
  type StorageKind,
  type StorageReport,
  type StoreName,
} from '../shared/health-model.ts';

type Aside = StorageReport['aside'];

interface StorageDeps {
  paths: DataPaths;
  connections: readonly { id: string; name: string }[];
  maintenance: Maintenance;
  nowMs: number;
}

export async function readStorage(deps: StorageDeps): Promise<StorageReport> {
  const { paths, connections, maintenance, nowMs } = deps;
  const aside: Aside = [];
  const measured = async (store: StoreName, file: string): Promise<Sizes> => {
    // If the thread cannot measure a store, its space is still counted.
    const found = await maintenance.measure(store, file, nowMs).catch((): Sizes => ({}));
    const known = Object.values(found).reduce((sum, bytes) => sum + bytes, 0);
    const rest = Math.max(0, (await sizeOf(file)) - known);
    return rest === 0 ? found : added(found, known === 0 ? kindOf(store) : 'other', rest);
  };
  const inFolder = async (folder: string, stores: readonly StoreName[], skipped: readonly string[] = []) => {
    let kinds: Sizes = {};
    for (const entry of await entriesOf(folder)) {
      if (skipped.includes(entry.name)) continue;
      const path = join(folder, entry.name);
      const store = stores.find((name) => STORES[name].file === entry.name);
      if (store !== undefined) kinds = merged(kinds, await measured(store, path));
      else if (isAside(entry.name)) {
        const { sizeBytes, atMs } = await folderSize(path);
        aside.push({ folder: path, sizeBytes, atMs });
        kinds = added(kinds, 'aside', sizeBytes);
      } else kinds = added(kinds, fileKind(entry.name), (await folderSize(path)).sizeBytes);
    }
    return { sizeBytes: sumOf(kinds), kinds };
  };
  const ofConnections: StorageReport['connections'] = [];
  for (const { id, name } of connections) {
    const found = await inFolder(paths.connectionDir(id), [
      'library',
      'uploads',
      'datasets',
      'snapshots',
      'search',
    ]);
    ofConnections.push({ connectionId: id, name, ...found });
  }
  const shared = await inFolder(paths.dataDir, ['settings', 'budget'], ['connections']);
  return {
    atMs: nowMs,
    dataDir: paths.dataDir,
    disk: await diskOf(paths.dataDir),
    connections: ofConnections,
    shared,
    aside,
  };
}

function kindOf(store: StoreName): StorageKind {
  if (store === 'library') return 'lists';
  return store === 'budget' ? 'settings' : store;
}

const FOLDERS: Readonly<Record<string, StorageKind>> = {
  logs: 'logs',
  copies: 'copies',
  sample: 'sample',
  engine: 'window',
};
const isAside = (name: string) => name.startsWith('damaged-') || name.startsWith('from-before');

function fileKind(name: string): StorageKind {
  if (name.endsWith('.backup')) return 'copies';
  if (name.startsWith('receipts-')) return 'receipts';
  const store = Object.entries(STORES).find(([, { file }]) => name.startsWith(file));
  if (store !== undefined) return kindOf(store[0] as StoreName);
  if (name.endsWith('.json')) return 'settings';
  return FOLDERS[name] ?? 'other';
}

async function diskOf(folder: string): Promise<StorageReport['disk']> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  } catch {
    return null;
  }
}

/** Entries of a folder; empty if it does not exist, or disappears while it is read. */
async function entriesOf(folder: string) {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}

async function sizeOf(path: string): Promise<number> {
  return (await lstat(path).catch(() => null))?.size ?? 0;
}

/** Size of a folder, or of a file. Links are not followed. */
async function folderSize(path: string): Promise<{ sizeBytes: number; atMs: number }> {
  const found = await lstat(path).catch(() => null);
  if (found === null) return { sizeBytes: 0, atMs: 0 };
  let sizeBytes = found.isFile() ? found.size : 0;
  if (found.isDirectory()) {
    for (const { name } of await entriesOf(path)) sizeBytes += (await folderSize(join(path, name))).sizeBytes;
  }
  return { sizeBytes, atMs: Math.round(found.mtimeMs) };
}

function added(sizes: Sizes, kind: StorageKind, bytes: number): Sizes {
  return bytes === 0 ? sizes : { ...sizes, [kind]: (sizes[kind] ?? 0) + bytes };
}

function merged(left: Sizes, right: Sizes): Sizes {
  return Object.entries(right).reduce((sum, [kind, bytes]) => added(sum, kind as StorageKind, bytes), left);
}

function sumOf(sizes: Sizes): number {
  return Object.values(sizes).reduce((sum, bytes) => sum + bytes, 0);
}
