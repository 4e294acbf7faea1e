import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

export interface ProcessIdentity {
  /** Identifies this computer. */
  computer: string;
  /** Identifies the last start of the computer, equally in every process; empty if the system has no id for it. */
  start: string;
  pid: number;
  /** Computer, or container on a computer, within which process numbers can be compared. */
  space: string;
  /** Whether a process of the same space is running. A number reused by another program counts as running. */
  isRunning: (pid: number) => boolean;
  /** Whether a process of the same space is known to be suspended. */
  isStopped: (pid: number) => boolean;
}

/** The identity by which other processes on the data folder recognize this one. */
export function systemIdentity(): ProcessIdentity {
  const computer = systemName('/etc/machine-id') || hostname();
  const start = systemName('/proc/sys/kernel/random/boot_id');
  return {
    computer,
    start,
    pid: process.pid,
    space: `${hostname()} ${pidNamespace()}`,
    isRunning,
    isStopped,
  };
}

/** Id in a Linux system file; empty on other systems, and if the file cannot be read. */
function systemName(file: string): string {
  if (process.platform !== 'linux') return '';
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (problem) {
    if (problem instanceof Error) return '';
    throw problem;
  }
}

function pidNamespace(): string {
  if (process.platform !== 'linux') return process.platform;
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch (problem) {
    // Without the id, the end of a process is never noticed, which only makes other processes wait longer.
    if (problem instanceof Error) return `unknown ${process.pid}`;
    throw problem;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (problem) {
    // EPERM means that the process runs as another user.
    return !(problem instanceof Error && 'code' in problem && problem.code === 'ESRCH');
  }
}

const STOPPED = new Set(['T', 't']);

/** Only Linux tells the state of a process in a file; elsewhere no process is known to be suspended. */
function isStopped(pid: number): boolean {
  const status = systemName(`/proc/${pid}/stat`);
  // The state follows the name of the program, which is in parentheses and may contain some itself.
  return STOPPED.has(status.charAt(status.lastIndexOf(')') + 2));
}

/**
 * Milliseconds since boot, with fractions: monotonic, independent of the wall clock, and the same in every process. It
 * may stop while the computer sleeps.
 */
export function bootMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
