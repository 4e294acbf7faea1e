import { AppError } from './errors.ts';

/** The error if the folder of a mirror has no space left, or cannot be written. */
export function mirrorFolderError(is: 'full' | 'unwritable', cause?: unknown): AppError {
  return is === 'full'
    ? new AppError(
        'DISK_FULL',
        'The disk has no room for this mirror. Free some space, then resume it.',
        {},
        cause,
      )
    : new AppError(
        'INVALID_ARGUMENT',
        'Expected a folder that can be written to. Choose another folder.',
        {},
        cause,
      );
}
