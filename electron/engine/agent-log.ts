/** The log of agents' reads: one JSON line for each read, in a file of the data folder and in one older file. */
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { type AgentRead, agentRead } from '../shared/agents-model.ts';
import { WITH_RETRIES, whenFree } from '../shared/busy-files.ts';
import { parseExact } from '../shared/exact-json.ts';

/** Size at which the file becomes the older one, so that both together stay below twice this size. */
const MAX_BYTES = 2_000_000;

export interface AgentLog {
  add(read: AgentRead): void;
  /** The newest reads, newest first, and the number of lines that cannot be read. */
  newest(count: number): { reads: AgentRead[]; unreadable: number };
  /** Removes the reads of a connection, and lines that cannot be read, because they may belong to it. */
  forget(connectionId: string): void;
}

export function createAgentLog(file: string): AgentLog {
  const older = `${file}.1`;
  return {
    add: (read) => {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      if (sizeOf(file) > MAX_BYTES) replaceOlder(file, older);
      appendFileSync(file, `${JSON.stringify(read)}\n`, { mode: 0o600 });
    },
    newest: (count) => {
      const lines = [older, file].flatMap(linesOf);
      const read = lines.map(readOf);
      const reads = read.filter((each) => each !== null);
      return { reads: reads.slice(-count).reverse(), unreadable: lines.length - reads.length };
    },
    forget: (connectionId) => {
      for (const each of [older, file]) removeReads(each, connectionId);
    },
  };
}

/**
 * Makes the file the older one. Two processes can find the file too large at the same time; the second one then moves
 * the new, small file, whose lines it returns.
 */
function replaceOlder(file: string, older: string): void {
  const own = `${file}.${process.pid}`;
  try {
    whenFree(() => renameSync(file, own));
  } catch (thrown) {
    if (sizeOf(file) === 0) return;
    throw thrown;
  }
  if (sizeOf(own) > MAX_BYTES) {
    whenFree(() => renameSync(own, older));
    return;
  }
  appendFileSync(file, readFileSync(own), { mode: 0o600 });
  rmSync(own, WITH_RETRIES);
}

/** Starts over if another process has added a line in the meantime. */
function removeReads(file: string, connectionId: string): void {
  const sizeBytes = sizeOf(file);
  const lines = linesOf(file);
  const kept = lines.filter((line) => {
    const read = readOf(line);
    return read !== null && read.connectionId !== connectionId;
  });
  if (kept.length === lines.length) return;
  const own = `${file}.${process.pid}`;
  writeFileSync(own, kept.map((line) => `${line}\n`).join(''), { mode: 0o600 });
  if (sizeOf(file) === sizeBytes) whenFree(() => renameSync(own, file));
  else removeReads(file, connectionId);
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function linesOf(file: string): string[] {
  if (sizeOf(file) === 0) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}

/** Null for a line that was cut by a full disk or a kill. */
function readOf(line: string): AgentRead | null {
  try {
    return agentRead.safeParse(parseExact(line)).data ?? null;
  } catch {
    // The caller counts the line as unreadable.
    return null;
  }
}
