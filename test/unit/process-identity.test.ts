/** The knowledge of a process about the others on the same data folder. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { systemIdentity } from '../../electron/db/process-identity.ts';

test.skipIf(process.platform !== 'linux')(
  'a suspended process is known, and one that continues',
  async () => {
    const { isRunning, isStopped, pid } = systemIdentity();
    expect(isStopped(pid)).toBe(false);
    const child = spawn('sleep', ['60']);
    await once(child, 'spawn');
    const other = child.pid ?? 0;
    child.kill('SIGSTOP');
    await expect.poll(() => isStopped(other)).toBe(true);
    expect(isRunning(other)).toBe(true);
    child.kill('SIGCONT');
    await expect.poll(() => isStopped(other)).toBe(false);
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    await ended;
    expect(isStopped(other)).toBe(false);
  },
);
