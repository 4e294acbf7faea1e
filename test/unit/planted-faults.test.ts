/** The planted faults of the simulation apply to the current code, and a known run finds each of them. */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const FOLDER = resolve('test/simulation/planted');
const names = globSync('*.patch', { cwd: FOLDER }).map((file) => basename(file, '.patch'));
const runs = z
  .record(z.string(), z.object({ focus: z.array(z.string()) }))
  .parse(JSON.parse(readFileSync(`${FOLDER}/runs.json`, 'utf8')));

describe('planted faults', () => {
  test('are enough, and each has a run', () => {
    expect(names.length).toBeGreaterThanOrEqual(30);
    expect(Object.keys(runs).toSorted()).toEqual(names.toSorted());
  });

  test.each(names)('%s can be applied', (name) => {
    expect(() =>
      execFileSync('git', ['apply', '--check', '-C1', `${FOLDER}/${name}.patch`], { stdio: 'pipe' }),
    ).not.toThrow();
  });

  test('are found by actions that exist', () => {
    const sources = globSync('test/simulation/acts/*.ts').map((file) => readFileSync(file, 'utf8'));
    const focused = new Set(Object.values(runs).flatMap(({ focus }) => focus));
    focused.delete('quit');
    const missing = [...focused].filter(
      (act) => !sources.some((text) => text.includes(`'${act}': {`) || text.includes(`  ${act}: {`)),
    );
    expect(missing).toEqual([]);
  });
});
