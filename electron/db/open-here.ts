/**
 * Reads the beginning of a file of a store without SQLite. POSIX systems drop every lock that a process has on a file
 * as soon as the process closes any descriptor of that file. Another process would then take an open store for a closed
 * one and delete its log. So nothing else may open and close a store, or the index of its log, by plain file functions.
 */
import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';

/** Lists the open descriptors of this process, with those of all its threads. */
const DESCRIPTORS = '/dev/fd';

/** Whether any thread of this process has the file open. Also true if the system does not tell. */
export function isOpenHere(file: string): boolean {
  // Windows locks belong to a handle, not to the process.
  if (process.platform === 'win32') return false;
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  if (found === undefined) return false;
  const isFound = (descriptor: string): boolean => {
    const open = statOf(Number(descriptor));
    return open?.ino === found.ino && open.dev === found.dev;
  };
  const descriptors = openDescriptors();
  return descriptors === null || descriptors.some(isFound);
}

/** The first bytes of a file, fewer if it is shorter; null if this process has the file open. Throws system errors. */
export function readStart(file: string, bytes: number): Buffer | null {
  if (isOpenHere(file)) return null;
  const start = Buffer.alloc(bytes);
  const descriptor = openSync(file, 'r');
  try {
    return start.subarray(0, readSync(descriptor, start, 0, bytes, 0));
  } finally {
    closeSync(descriptor);
  }
}

function openDescriptors(): string[] | null {
  try {
    return readdirSync(DESCRIPTORS);
  } catch (problem) {
    if (problem instanceof Error) return null;
    throw problem;
  }
}

/** Null for a descriptor that was closed meanwhile, as the one that read the list. */
function statOf(descriptor: number) {
  try {
    return fstatSync(descriptor, { bigint: true });
  } catch (problem) {
    if (problem instanceof Error) return null;
    throw problem;
  }
}
