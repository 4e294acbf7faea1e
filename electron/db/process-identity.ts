import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

export interface ProcessIdentity {
  /** Names this computer. */
  computer: string;
  /** Names its last start, for every process on it; empty where the system gives no name to that. */
  start: string;
  pid: number;
  /** Process numbers can only be compared inside one of these: a computer, or a container on it. */
  space: string;
  /** Is a process of the same space running? A number that was given to another program counts as running. */
  isRunning: (pid: number) => boolean;
}

/** This process, as other processes on the data folder can find it. */
export function systemIdentity(): ProcessIdentity {
  const computer = systemName('/etc/machine-id') || hostname();
  const start = systemName('/proc/sys/kernel/random/boot_id');
  return { computer, start, pid: process.pid, space: `${hostname()} ${pidNamespace()}`, isRunning };
}

/** What Linux names something by; empty elsewhere, and where it cannot be read. */
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
    // Without it nobody's end is noticed, which only makes others wait longer.
    if (problem instanceof Error) return `unknown ${process.pid}`;
    throw problem;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (problem) {
    // EPERM: it runs, as somebody else.
    return !(problem instanceof Error && 'code' in problem && problem.code === 'ESRCH');
  }
}

/**
 * Milliseconds since the computer started, fractions included: only goes forward, does not follow the wall
 * clock, and is the same in every process. It may stand still while the computer sleeps.
 */
export function bootMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
