/** The CI workflow refers only to existing names. It cannot be run here, so a mistake would be noticed late. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../build/runtime.ts';

const workflow = readFileSync(join(ROOT, '.github/workflows/ci.yml'), 'utf8');
const found = (pattern: RegExp): string[] => [...workflow.matchAll(pattern)].map((match) => match[1] ?? '');

test('its parts are parts of npm test', () => {
  const usage = readFileSync(join(ROOT, 'build/test.ts'), 'utf8');
  const known = /npm test \[-- PART …\]\s+(.*)$/m.exec(usage)?.[1]?.split(', ') ?? [];
  const named = found(/node build\/test\.ts ([a-z0-9 ]+)/g).flatMap((parts) => parts.split(' '));
  expect(named.sort()).toEqual([...known].sort());
});

test('its scripts are scripts of package.json', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const named = found(/npm run ([\w-]+)/g);
  expect(named.length).toBeGreaterThan(0);
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
});

test('runs on Linux, macOS and Windows, and has read-only access to the repository', () => {
  for (const system of ['ubuntu', 'macos', 'windows'])
    expect(workflow).toMatch(new RegExp(`os: \\[.*${system}-`));
  expect(workflow).toMatch(/^permissions:\n {2}contents: read$/m);
});
