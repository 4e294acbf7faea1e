/**
 * Reads the beginning of a store's file without SQLite. On POSIX systems, a process loses all of its locks on a file as
 * soon as it closes any descriptor of that file. Another process would then regard an open store as closed and delete
 * its log. So only this module may open and close a store, or the index of its log, by plain file functions, and no
 * thread opens a store by SQLite in the meantime.
 */
import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { getEnvironmentData, setEnvironmentData, threadId } from 'node:worker_threads';
import { folderError, isFolder } from './folder-in-place.ts';

/** Folder that lists the open descriptors of this process, including those of all threads. */
const DESCRIPTORS = '/dev/fd';
/** Key of memory that is shared by all threads of a process; it holds the thread that is opening a file. */
const KEY = 'spandeck openings';
/**
 * Maximum wait for another thread, which needs only a few system calls even under load. A thread that was ended in
 * between never releases the memory.
 */
const MAX_WAIT_MS = 5_000;
const NOBODY = 0;

const opening = sharedMemory();

function sharedMemory(): Int32Array {
  const given = getEnvironmentData(KEY);
  if (given instanceof Int32Array) return given;
  const made = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  setEnvironmentData(KEY, made);
  return made;
}

/** Runs `work` while no other thread of this process runs work by this function. Calls must not be nested. */
export function whileNobodyOpens<T>(work: () => T): T {
  const own = threadId + 1;
  for (;;) {
    const holder = Atomics.compareExchange(opening, 0, NOBODY, own);
    if (holder === NOBODY) break;
    const isGone = Atomics.wait(opening, 0, holder, MAX_WAIT_MS) === 'timed-out';
    if (isGone && Atomics.compareExchange(opening, 0, holder, own) === holder) break;
  }
  try {
    return work();
  } finally {
    Atomics.compareExchange(opening, 0, own, NOBODY);
    Atomics.notify(opening, 0, 1);
  }
}

/** Whether any thread of this process has the file open; also true if the system does not show it. */
export function isOpenHere(file: string): boolean {
  // Excludes other threads, so that a short look at the file by one of them does not count.
  return whileNobodyOpens(() => hasOpen(file));
}

/** Call only within `whileNobodyOpens`. */
export function hasOpen(file: string): boolean {
  // On Windows, locks belong to a handle and not to the process.
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

/**
 * The first bytes of a file, fewer if it is shorter. Null if this process has the file open, or the store that the file
 * belongs to. Throws STORE_FAILED for a folder, otherwise system errors.
 */
export function readStart(file: string, bytes: number, store = file): Buffer | null {
  return whileNobodyOpens(() => {
    if (hasOpen(store) || (store !== file && hasOpen(file))) return null;
    const start = Buffer.alloc(bytes);
    const descriptor = openSync(file, 'r');
    try {
      return start.subarray(0, readSync(descriptor, start, 0, bytes, 0));
    } catch (problem) {
      throw isFolder(file) ? folderError(file, problem) : problem;
    } finally {
      closeSync(descriptor);
    }
  });
}

function openDescriptors(): string[] | null {
  try {
    return readdirSync(DESCRIPTORS);
  } catch (problem) {
    if (problem instanceof Error) return null;
    throw problem;
  }
}

/** Null for a descriptor that is closed by now, such as the one that read the list of descriptors. */
function statOf(descriptor: number) {
  try {
    return fstatSync(descriptor, { bigint: true });
  } catch (problem) {
    if (problem instanceof Error) return null;
    throw problem;
  }
}
