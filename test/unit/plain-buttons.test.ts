/** A plain button that becomes disabled keeps the keyboard focus. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const RENDERER = new URL('../../renderer/', import.meta.url);
/** The opening tag of a button, whose attributes may have expressions with braces in braces. */
const OPENING = /<button\b(?:[^>{"]|"[^"]*"|\{(?:[^{}]|\{[^{}]*\})*\})*>/gu;
const disabledIn = (source: string): string[] =>
  [...source.matchAll(OPENING)]
    .map(([tag]) => tag)
    .filter((tag) => /\sdisabled(?:=|[\s/>])|\{disabled\}/u.test(tag));

test('no plain button is disabled without keeping its focus', () => {
  const files = readdirSync(RENDERER, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.svelte'),
  );
  expect(files.length).toBeGreaterThan(100);
  const sources = files.map((path) => [path, readFileSync(new URL(path, RENDERER), 'utf8')] as const);
  // Otherwise a tag with deeper braces would be skipped.
  for (const [path, source] of sources)
    expect([...source.matchAll(OPENING)], path).toHaveLength([...source.matchAll(/<button\b/gu)].length);
  const found = sources.filter(([, source]) => disabledIn(source).length > 0).map(([path]) => path);
  expect(found, 'use disabledIf of held-focus.svelte.ts').toEqual([]);
});

test('a disabled plain button is found, also after an expression with braces', () => {
  expect(disabledIn('<button onclick={() => run({ id })} disabled={isOver}>Go</button>')).toHaveLength(1);
  expect(disabledIn('<button class="a" {disabled}>Go</button>')).toHaveLength(1);
  expect(disabledIn('<button {@attach disabledIf(() => isOver)}>Go</button>')).toEqual([]);
});
