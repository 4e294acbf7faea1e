import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

export interface ProcessIdentity {
  pid: number;
  /** Process numbers can only be compared inside one of these: a computer, or a container on it. */
  space: string;
  /** Is a process of the same space running? A number that was given to another program counts as running. */
  isRunning: (pid: number) => boolean;
}

/** This process, as other processes on the data folder can find it. */
export function systemIdentity(): ProcessIdentity {
  return { pid: process.pid, space: `${hostname()} ${pidNamespace()}`, isRunning };
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
