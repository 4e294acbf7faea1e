/** Processor time and memory of an application with all its processes, read from `/proc`. On Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

export interface Process {
  pid: number;
  parent: number;
  /** Processor time in units of `sysconf(_SC_CLK_TCK)`, a hundredth of a second. */
  ticks: number;
}

/** All processes of the system. On Linux only. */
function processes(): Process[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return { pid: Number(name), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) };
    } catch {
      // The process has ended meanwhile.
      return [];
    }
  });
}

/** A process and all its descendants. */
export function familyOf(pid: number): Process[] {
  const all = processes();
  const family = new Set([pid]);
  for (const member of family) for (const each of all) if (each.parent === member) family.add(each.pid);
  return all.filter((each) => family.has(each.pid));
}

/** Private memory of a process plus its share of shared memory. */
export function megabytesOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? Number.NaN) / 1_024;
}

/** Whether a process draws a page: Chromium draws the frame of its own window in a process of the same kind. */
export function isWindow({ pid }: Process): boolean {
  const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  return words.includes('--type=renderer') && !words.includes('--top-chrome-webui');
}

/** Memory of a process and all of its descendants, in MB. */
export const memoryOf = (pid: number): number =>
  familyOf(pid).reduce((total, each) => total + megabytesOf(each.pid), 0);
