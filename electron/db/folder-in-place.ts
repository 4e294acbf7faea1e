/** Detects a folder in the place of a file of the data folder. */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { AppError } from '../shared/errors.ts';

export function isFolder(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // The path cannot be examined; the caller reports why.
    return false;
  }
}

export function folderError(file: string, cause: unknown): AppError {
  return new AppError(
    'STORE_FAILED',
    `Expected the file ${basename(file)} in the data folder, got a folder of that name. Move the folder away and put the file back, or start without it, which begins empty.`,
    { file: basename(file) },
    cause,
  );
}
