/** A folder that has the name of a file of the data folder. */
import { statSync } from 'node:fs';
import { basename } from 'node:path';
import { AppError } from '../shared/errors.ts';

export function isFolder(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // A path that cannot be looked at. The caller reports the problem for which it asks.
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
