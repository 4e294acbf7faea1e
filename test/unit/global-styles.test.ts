/** Global styles of a component apply to no other component by accident. */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const files = globSync('renderer/**/*.svelte').map((path) => ({ path, text: readFileSync(path, 'utf8') }));

/** Classes that a component styles globally, such as `:global(.name) {`. */
function globalClasses(text: string): string[] {
  return [...text.matchAll(/^\s*:global\(\.([\w-]+)\)(?::[\w-]+)*\s*[{,]/gm)].flatMap(
    ([, name]) => name ?? [],
  );
}

/** Classes of elements, in attributes and in directives. */
function usedClasses(text: string): Set<string> {
  const listed = [...text.matchAll(/\bclass="([^"]*)"/g)].flatMap(([, names = '']) => names.split(/[\s{}]+/));
  const switched = [...text.matchAll(/\bclass:([\w-]+)/g)].flatMap(([, name]) => name ?? []);
  return new Set([...listed, ...switched]);
}

test('a class that a component styles everywhere is a class of no other component', () => {
  const shared = files.flatMap(({ path, text }) =>
    globalClasses(text).flatMap((name) =>
      files
        .filter((other) => other.path !== path && usedClasses(other.text).has(name))
        .map((other) => `.${name} of ${path} applies to ${other.path}`),
    ),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(files.flatMap(({ text }) => globalClasses(text)).length).toBeGreaterThan(5);
  expect(shared).toEqual([]);
});
