/** Lines are sorted by their content. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { sortedLines, sortKey } from '../../electron/analysis/sorted-lines.ts';
import { parseExact } from '../../electron/shared/exact-json.ts';

const folder = mkdtempSync(join(tmpdir(), 'spandeck-sorted-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function* given(...lines: [string, string][]) {
  yield* lines;
}

test('lines are sorted by key and then by line, byte by byte, and none is lost', async () => {
  const sorted: string[] = [];
  const lines = given(['b', '2'], ['a', '2'], ['B', '0'], ['a', '1'], ['', 'none'], ['ä', '9'], ['a', '1']);
  for await (const line of sortedLines(lines, folder)) sorted.push(line);
  expect(sorted).toEqual(['none', '0', '1', '1', '2', '2', '9']);
});

test('a fault of the source ends the sorting with that fault', async () => {
  async function* broken(): AsyncGenerator<[string, string]> {
    yield ['a', '1'];
    throw new Error('The store was closed.');
  }
  const all = async () => {
    for await (const line of sortedLines(broken(), folder)) expect(line).toBe('never');
  };
  await expect(all()).rejects.toThrow('The store was closed.');
});

test('the most specific id of a record decides', () => {
  expect(sortKey({ name: 'n', id: 'i', span_id: 's' })).toBe('s');
  expect(sortKey({ name: 'n', id: 7 })).toBe('7');
  expect(sortKey(parseExact('{"id": 12345678901234567890}'))).toBe('12345678901234567890');
  expect(sortKey({ other: 1 })).toBe('');
  expect(sortKey(null)).toBe('');
});
