/** Opens a database and fills it. Later starts copy a workspace that was generated earlier. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { openStore, type Sqlite } from '../store.ts';
import { createStores, type Stores } from '../stores.ts';
import { fillWorkspace } from './workspace.ts';

interface FillOptions {
  seed?: number;
  isEmpty?: boolean;
  nowMs: number;
  /** Folder for cached workspaces, for other processes. */
  imageFolder?: string;
}

/** The latest workspaces in memory; each one is a database image of some megabytes. */
const images = new Map<string, Buffer>();
const IMAGES_KEPT = 2;
const HOUR_MS = 3_600_000;

/** Writes the file in a folder of its own and renames it, because several processes and threads may do this at once. */
function keepFile(file: string, image: Buffer): void {
  mkdirSync(dirname(file), { recursive: true });
  const own = mkdtempSync(`${file}.`);
  try {
    const part = join(own, basename(file));
    writeFileSync(part, image);
    renameSync(part, file);
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

function keep(key: string, image: Buffer): void {
  images.set(key, image);
  const oldest = images.keys().next();
  if (images.size > IMAGES_KEPT && oldest.done !== true) images.delete(oldest.value);
}

/**
 * The image without a write-ahead log, with which a database cannot be opened in memory. Bytes 18 and 19 of a file give
 * its journal mode.
 */
function inRollbackMode(image: Buffer): Buffer {
  return image.fill(1, 18, 20);
}

/** A workspace that this or another process generated earlier. */
function keptImage(key: string, kept: string | null): Buffer | undefined {
  if (kept !== null && !images.has(key) && existsSync(kept)) keep(key, readFileSync(kept));
  return images.get(key);
}

/** Opens the database. `file` null keeps it in memory. Throws if the file cannot be opened. */
export function openFilledStore(file: string | null, options: FillOptions): { db: Sqlite; stores: Stores } {
  // The workspace depends only on the seed and on the hour.
  const hour = Math.floor(options.nowMs / HOUR_MS);
  const key = `${options.seed ?? 'default'}-${options.isEmpty === true ? 'empty' : 'full'}-${hour}`;
  const kept = options.imageFolder === undefined ? null : join(options.imageFolder, `${key}.db`);
  // A file is filled only once, so copying a workspace is useful only if there is a cache folder.
  const isCopied = file === null || (kept !== null && !existsSync(file));
  const image = isCopied ? keptImage(key, kept) : undefined;
  if (file !== null && image !== undefined) writeFileSync(file, image, { mode: 0o600 });
  const db = openStore(file ?? image ?? null);
  try {
    const stores = createStores(db);
    if (image === undefined) {
      fillWorkspace(db, stores, options);
      if (isCopied) {
        const made = inRollbackMode(db.serialize());
        keep(key, made);
        if (kept !== null) keepFile(kept, made);
      }
    }
    return { db, stores };
  } catch (error) {
    db.close();
    throw error;
  }
}
