/**
 * Restores a copy of an upload store in a separate process, which kills itself before the step with the given number.
 * Writes a line before each change of the file system.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';
import { silentLogger } from './virtual-world.ts';

const [, , file = '', name = '', killAt = ''] = process.argv;
const nameOf = (path: unknown) => basename(String(path)).replaceAll(String(process.pid), 'PID');
let count = 0;

function step(words: string): void {
  if (count === Number(killAt)) process.kill(process.pid, 'SIGKILL');
  count += 1;
  // Does not use process.stdout, whose text is lost when the process is killed.
  fs.writeSync(1, `${words}\n`);
}

const real = { ...fs };
Object.assign(fs, {
  copyFileSync: (...given: Parameters<typeof fs.copyFileSync>) => {
    step(`copy ${nameOf(given[0])} to ${nameOf(given[1])}`);
    real.copyFileSync(...given);
  },
  renameSync: (...given: Parameters<typeof fs.renameSync>) => {
    step(`rename ${nameOf(given[0])} to ${nameOf(given[1])}`);
    real.renameSync(...given);
  },
  rmSync: (...given: Parameters<typeof fs.rmSync>) => {
    if (real.existsSync(given[0])) step(`delete ${nameOf(given[0])}`);
    real.rmSync(...given);
  },
  openSync: (...given: Parameters<typeof fs.openSync>) => {
    if (given[1] === 'w') step(`create ${nameOf(given[0])}`);
    return real.openSync(...given);
  },
  fsyncSync: (fd: number) => {
    step('flush');
    real.fsyncSync(fd);
  },
});
syncBuiltinESMExports();
const { restoreCopy } = await import('../../electron/db/store-copies.ts');
restoreCopy({ file, store: 'uploads' }, name, Date.UTC(2026, 4, 1), silentLogger);
