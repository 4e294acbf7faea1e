/** A file that arrives in parts: written beside its place, and put there whole, or not at all. */
import { appendFile, rename, rm, writeFile } from 'node:fs/promises';
import { AppError } from '../shared/errors.ts';

export interface PartFiles {
  /** Begins a file. One at a time: what was begun before and never ended is removed. */
  begin(saveId: string, path: string): Promise<void>;
  /** Adds bytes. Throws NOT_FOUND for a file that was not begun, or given up. */
  add(saveId: string, bytes: Uint8Array): Promise<void>;
  /** Puts the file in its place; answers its path. */
  end(saveId: string): Promise<string>;
}

export function createPartFiles(): PartFiles {
  let open: { saveId: string; path: string; part: string } | null = null;
  const find = (saveId: string) => {
    if (open?.saveId === saveId) return open;
    throw new AppError('NOT_FOUND', 'The file that these bytes belong to is not being saved any more.');
  };
  return {
    begin: async (saveId, path) => {
      if (open !== null) await rm(open.part, { force: true });
      const part = `${path}.part`;
      open = null;
      await writeFile(part, '');
      open = { saveId, path, part };
    },
    add: async (saveId, bytes) => appendFile(find(saveId).part, bytes),
    end: async (saveId) => {
      const { path, part } = find(saveId);
      open = null;
      await rename(part, path);
      return path;
    },
  };
}
