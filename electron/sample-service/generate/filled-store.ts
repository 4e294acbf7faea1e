/** Opens a database and fills it. Later starts copy an earlier workspace. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { openStore, type Sqlite } from '../store.ts';
import { createStores, type Stores } from '../stores.ts';
import { fillWorkspace } from './workspace.ts';

interface FillOptions {
  seed?: number;
  isEmpty?: boolean;
  nowMs: number;
  /** Folder that caches the generated workspace for other processes. */
  imageFolder?: string;
}

/** The latest workspaces; each is a database image of some megabytes. */
const images = new Map<string, Buffer>();
const IMAGES_KEPT = 2;
const HOUR_MS = 3_600_000;

/** Written in a folder of its own and renamed, because several processes and threads may do it at once. */
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

/** A database with a write-ahead log cannot be opened in memory: bytes 18 and 19 of a file give its journal mode. */
function inRollbackMode(image: Buffer): Buffer {
  return image.fill(1, 18, 20);
}

/** The workspace generated earlier, here or by another process. */
function keptImage(key: string, kept: string | null): Buffer | undefined {
  if (kept !== null && !images.has(key) && existsSync(kept)) keep(key, readFileSync(kept));
  return images.get(key);
}

/** `file` null keeps the database in memory. Throws if the file cannot be opened. */
export function openFilledStore(file: string | null, options: FillOptions): { db: Sqlite; stores: Stores } {
  // The workspace depends only on the seed and on the hour.
  const hour = Math.floor(options.nowMs / HOUR_MS);
  const key = `${options.seed ?? 'default'}-${options.isEmpty === true ? 'empty' : 'full'}-${hour}`;
  const kept = options.imageFolder === undefined ? null : join(options.imageFolder, `${key}.db`);
  // A file is generated only once: a copy of its workspace is useful only if there is a cache folder.
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
