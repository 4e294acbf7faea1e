/** The thread that checks a large store lets the other threads of its process go first. */
import { once } from 'node:events';
import { getPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { openStore } from '../../electron/db/open.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

/** Stores the priority that the thread has when it ends, from the 19th field of Linux's file about it. */
const WATCH = `
  import { readFileSync } from 'node:fs';
  import { workerData } from 'node:worker_threads';
  process.on('exit', () => {
    const stat = readFileSync('/proc/thread-self/stat', 'utf8');
    workerData.priority[0] = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
  });`;

test.runIf(process.platform === 'linux')(
  'checks a store with a lower priority than other threads',
  async () => {
    using folder = new DataFolder();
    const file = folder.file('checked.db');
    openStore({
      file,
      migrations: [],
      synchronous: 'NORMAL',
      clock: systemClock,
      logger: silentLogger,
    }).close();
    const own = getPriority();
    const priority = new Int32Array(new SharedArrayBuffer(4)).fill(own);
    const thread = new Worker(new URL('../../electron/db/check-worker.ts', import.meta.url), {
      workerData: { file, priority },
      execArgv: ['--import', `data:text/javascript,${encodeURIComponent(WATCH)}`],
    });
    const [[message]] = await Promise.all([once(thread, 'message'), once(thread, 'exit')]);
    expect(message).toEqual({ finding: 'ok' });
    expect([...priority]).toEqual([Math.min(own + 10, 19)]);
    expect(getPriority()).toBe(own);
  },
);
