/** The lock file is complete: a fresh clone can be installed from it on every platform. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Locked {
  packages: Record<
    string,
    { dependencies?: Record<string, string>; optionalDependencies?: Record<string, string> }
  >;
}

test('every required package has an entry, including those of other platforms', () => {
  const file = join(import.meta.dirname, '../../package-lock.json');
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as Locked;
  const isThere = (name: string, from: string): boolean => {
    const parts = from === '' ? [] : from.split('/node_modules/');
    return parts.concat('').some((_part, index) => {
      const folder = parts.slice(0, parts.length - index).join('/node_modules/');
      return (
        packages[folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`] !== undefined
      );
    });
  };
  const missing = Object.entries(packages).flatMap(
    ([from, { dependencies = {}, optionalDependencies = {} }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter((name) => !isThere(name, from))
        .map((name) => `${from}: ${name}`),
  );
  expect(missing).toEqual([]);
});
