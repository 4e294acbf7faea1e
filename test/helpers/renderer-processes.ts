/**
 * The processes of a window. They are killed by id, as the system does when memory runs out, and checked for their
 * sandbox.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** Ids of the page processes below `mainPid`. Works on Linux only. */
export function renderersBelow(mainPid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    // The name of a program may contain spaces and brackets, but the text after its last bracket does not.
    const stat = textOf(`/proc/${name}/stat`);
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0);
    parents.set(Number(name), parent);
  }
  const isBelow = (pid: number): boolean => {
    for (let at = parents.get(pid); at !== undefined && at > 1; at = parents.get(at)) {
      if (at === mainPid) return true;
    }
    return false;
  };
  return [...parents.keys()].filter(
    (pid) => isBelow(pid) && textOf(`/proc/${pid}/cmdline`).includes('--type=renderer'),
  );
}

/** Empty if the process has ended meanwhile. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Number of process namespaces of a process; 0 if it has ended. Chromium's sandbox gives a page one of its own. */
export const pidNamespaces = (pid: number): number =>
  /^NSpid:(.*)$/m
    .exec(textOf(`/proc/${pid}/status`))?.[1]
    ?.trim()
    .split(/\s+/).length ?? 0;

/** Kills the page processes. Returns how many were killed. */
export function killRenderers(mainPid: number): number {
  let count = 0;
  for (const pid of renderersBelow(mainPid)) {
    try {
      process.kill(pid, 'SIGKILL');
      count += 1;
    } catch (thrown) {
      // A process that ended by itself meanwhile counts too.
      if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ESRCH')) throw thrown;
    }
  }
  return count;
}
