/** Time and memory of this process and its children. Functions that read /proc work on Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

const MS_A_TICK = 10;

/** Ids of the running children that any thread of this process started. */
function childrenOf(): number[] {
  return readdirSync('/proc/self/task').flatMap((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
}

/** Processor time of running and ended child processes, in milliseconds; NaN except on Linux. */
export function cpuOfChildren(): number {
  if (process.platform !== 'linux') return Number.NaN;
  const fieldsOf = (pid: number | 'self'): number[] => {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
  };
  const [endedUser = 0, endedSystem = 0] = fieldsOf('self').slice(13, 15);
  const running = childrenOf().map((pid) => {
    try {
      const [user = 0, system = 0] = fieldsOf(pid).slice(11, 13);
      return user + system;
    } catch {
      return 0;
    }
  });
  return MS_A_TICK * running.reduce((sum, each) => sum + each, endedUser + endedSystem);
}

/** The maximum memory that a running child process had so far, in MB; NaN except on Linux. */
export function peakOfChildren(): number {
  if (process.platform !== 'linux') return Number.NaN;
  return Math.max(0, ...childrenOf().map(peakOf));
}

/** The maximum memory that a process had so far, in MB; 0 if it has ended, NaN except on Linux. */
export function peakOf(pid: number | 'self'): number {
  if (process.platform !== 'linux') return Number.NaN;
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
  } catch {
    // The process has ended meanwhile.
    return 0;
  }
}
