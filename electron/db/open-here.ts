/**
 * Reads the beginning of a file of a store without SQLite. POSIX systems drop every lock that a process has on a file
 * as soon as the process closes any descriptor of that file. Another process would then take an open store for a closed
 * one and delete its log. So nothing else may open and close a store, or the index of its log, by plain file functions,
 * and no thread opens a store by SQLite meanwhile.
 */
import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { getEnvironmentData, setEnvironmentData, threadId } from 'node:worker_threads';
import { folderError, isFolder } from './folder-in-place.ts';

/** Lists the open descriptors of this process, with those of all its threads. */
const DESCRIPTORS = '/dev/fd';
/** Name of the memory that all threads of a process share: which of them opens a file. */
const KEY = 'spandeck openings';
/** A thread holds it for a few system calls, also under load far less; one that was ended meanwhile never gives it back. */
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

/** Runs it while no other thread of this process runs anything here. Not to be nested. */
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

/** Whether any thread of this process has the file open. Also true if the system does not show it. */
export function isOpenHere(file: string): boolean {
  // Otherwise the short look of another thread would count.
  return whileNobodyOpens(() => hasOpen(file));
}

/** Only within `whileNobodyOpens`. */
export function hasOpen(file: string): boolean {
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

/**
 * The first bytes of a file, fewer if it is shorter; null if this process has the file, or the store that it belongs
 * to, open. Throws STORE_FAILED for a folder, otherwise system errors.
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

/** Null for a descriptor that was closed meanwhile, as the one that read the list. */
function statOf(descriptor: number) {
  try {
    return fstatSync(descriptor, { bigint: true });
  } catch (problem) {
    if (problem instanceof Error) return null;
    throw problem;
  }
}
