/** The Pythons of this computer, for tests of code that people run in theirs. */
import { spawnSync } from 'node:child_process';

/** The first in the path may differ from the system's, which has the packages of the system. */
const PYTHONS = ['python3', '/usr/bin/python3', 'python'];

/** The first that has these packages; null if none has. */
export const pythonWith = (...modules: string[]): string | null =>
  PYTHONS.find(
    (python) =>
      spawnSync(python, ['-c', ['import sys', ...modules.map((name) => `import ${name}`)].join('\n')])
        .status === 0,
  ) ?? null;
