/** Each module that the simulation replaces still exports every name that the product imports from it. */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as agent from '../simulation/agent.ts';
import * as threads from '../simulation/threads.ts';

const STAND_INS: Readonly<Record<string, object>> = { 'node:worker_threads': threads, undici: agent };
const IMPORT = /^import (type )?(?:\w+, )?\{([^}]*)\} from '([^']+)';/gm;

test('every name that is imported from a replaced module has a stand-in', () => {
  const missing: string[] = [];
  let found = 0;
  for (const file of globSync('electron/**/*.ts'))
    for (const [, isType, names = '', module = ''] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const standIn = STAND_INS[module];
      if (standIn === undefined || isType !== undefined) continue;
      for (const each of names.split(',').map((name) => name.trim())) {
        const name = each.replace(/ as .*$/, '');
        if (name === '' || name.startsWith('type ')) continue;
        found += 1;
        if (!Object.hasOwn(standIn, name)) missing.push(`${file}: ${name} of ${module}`);
      }
    }
  expect(found).toBeGreaterThan(20);
  expect(missing).toEqual([]);
});
