import { AppError } from './errors.ts';

/** The folder of a mirror has no room, or does not accept files. */
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
