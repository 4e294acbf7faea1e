/** The state of a file on disk, and the meaning of its failures. */
import { type Stats, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { AppError } from '../shared/errors.ts';

/** Size and modification time: the cheap part of the check that a file is unchanged. */
export interface FileState {
  sizeBytes: number;
  mtimeMs: number;
}

function codeOf(problem: unknown): string {
  return typeof problem === 'object' && problem !== null && 'code' in problem ? String(problem.code) : '';
}

/** Turns a file system error into an AppError that names the file. */
export function fileError(path: string, problem: unknown): AppError {
  if (problem instanceof AppError) return problem;
  const file = basename(path);
  const code = codeOf(problem);
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    const text = `Expected the file ${file}, but it is no longer there. Put it back, or choose it again.`;
    return new AppError('FILE_NOT_FOUND', text, { file }, problem);
  }
  if (code === 'EISDIR') return folderError(file);
  const reason =
    code === 'EACCES' || code === 'EPERM' ? 'reading it is not permitted' : `reading failed (${code})`;
  return new AppError(
    'FILE_UNREADABLE',
    `${file} cannot be read: ${reason}. Check its permissions and the drive it is on, then try again.`,
    { file },
    problem,
  );
}

function folderError(file: string): AppError {
  return new AppError(
    'FILE_UNREADABLE',
    `Expected a file, got the folder ${file}. Drop the files in it instead.`,
    { file },
  );
}

/** Reads size and modification time. Throws FILE_NOT_FOUND, FILE_UNREADABLE (also for a folder), FILE_EMPTY. */
export async function readFileState(path: string): Promise<FileState> {
  return stateOf(
    path,
    await stat(path).catch((problem: unknown) => {
      throw fileError(path, problem);
    }),
  );
}

function stateOf(path: string, found: Stats): FileState {
  const file = basename(path);
  if (found.isDirectory()) throw folderError(file);
  if (!found.isFile()) {
    throw new AppError(
      'FILE_UNREADABLE',
      `Expected a file, got something else (${file}): a pipe or a device.`,
      { file },
    );
  }
  if (found.size === 0) {
    throw new AppError(
      'FILE_EMPTY',
      `${file} is empty: it has no bytes. Check that it was written completely.`,
      { file },
    );
  }
  return { sizeBytes: found.size, mtimeMs: found.mtimeMs };
}

export function fileChangedError(file: string): AppError {
  return new AppError(
    'FILE_CHANGED',
    `${file} changed: its size, date or content is different now. Nothing more was sent. Put the old file back and resume, or cancel and upload the new one.`,
    { file },
  );
}

/** Throws FILE_CHANGED if the file differs from `before`. */
export async function checkSameState(path: string, before: FileState): Promise<void> {
  compareStates(path, before, await readFileState(path));
}

/**
 * Like `checkSameState`, but synchronous and about 20 times as fast. For threads that do nothing else and check
 * repeatedly.
 */
export function checkSameStateNow(path: string, before: FileState): void {
  let found: Stats;
  try {
    found = statSync(path);
  } catch (problem) {
    throw fileError(path, problem);
  }
  compareStates(path, before, stateOf(path, found));
}

function compareStates(path: string, before: FileState, now: FileState): void {
  if (now.sizeBytes !== before.sizeBytes || now.mtimeMs !== before.mtimeMs)
    throw fileChangedError(basename(path));
}
