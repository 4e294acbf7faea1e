/** Finds the Pythons of this computer, for tests of code that users run in Python. */
import { spawnSync } from 'node:child_process';

/** The first Python in the path may differ from the system's, which has the packages of the system. */
const PYTHONS = ['python3', '/usr/bin/python3', 'python'];

/** The first Python that has these packages; null if there is none. */
export const pythonWith = (...modules: string[]): string | null =>
  PYTHONS.find(
    (python) =>
      spawnSync(python, ['-c', ['import sys', ...modules.map((name) => `import ${name}`)].join('\n')])
        .status === 0,
  ) ?? null;
