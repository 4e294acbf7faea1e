import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLayoutFile } from '../../electron/connections/layout-file.ts';

const warnings: string[] = [];
const logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: (message: string) => void warnings.push(message),
  error: () => undefined,
};
let folder = '';
const file = () => join(folder, 'layout.json');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'layout-file-'));
  warnings.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the layout of a connection', () => {
  test('is empty without stored values, without a warning', () => {
    expect(createLayoutFile(file(), logger).read()).toEqual({});
    expect(warnings).toEqual([]);
  });

  test('survives the process, value by value; null deletes one', async () => {
    const first = createLayoutFile(file(), logger);
    await first.write('tabs', { list: ['a'] });
    await first.write('grid.catalog', { order: ['name'] });
    await first.write('tabs', null);
    expect(createLayoutFile(file(), logger).read()).toEqual({ 'grid.catalog': { order: ['name'] } });
    expect(readdirSync(folder)).toEqual(['layout.json']);
  });

  test('rejects unlimited growth and keeps its values', async () => {
    const layout = createLayoutFile(file(), logger);
    await layout.write('tabs', ['a']);
    await expect(layout.write('junk', 'x'.repeat(1_000_001))).rejects.toThrowError(/more than 1 MB/);
    expect(createLayoutFile(file(), logger).read()).toEqual({ tabs: ['a'] });
  });

  test('after many concurrent changes the last state is on disk when all have finished', async () => {
    const layout = createLayoutFile(file(), logger);
    for (let at = 0; at < 50; at += 1) void layout.write('tabs', at);
    expect(layout.read()).toEqual({ tabs: 49 });
    await layout.settled();
    expect(createLayoutFile(file(), logger).read()).toEqual({ tabs: 49 });
    expect(readdirSync(folder)).toEqual(['layout.json']);
  });

  test('starts over if the file is damaged', async () => {
    writeFileSync(file(), '{"tabs": ');
    const layout = createLayoutFile(file(), logger);
    expect(layout.read()).toEqual({});
    expect(warnings).toEqual(['layout not read']);
    await layout.write('tabs', 1);
    expect(createLayoutFile(file(), logger).read()).toEqual({ tabs: 1 });
  });

  test.each(['{"views": [{"id": "v"}]', '"text"'])('keeps a copy of the damaged file %s', async (text) => {
    writeFileSync(file(), text);
    await createLayoutFile(file(), logger).write('tabs', 1);
    expect(readFileSync(`${file()}.damaged`, 'utf8')).toBe(text);
  });

  test('is saved although the damaged file was removed meanwhile', async () => {
    writeFileSync(file(), '{"tabs": ');
    const layout = createLayoutFile(file(), logger);
    expect(layout.read()).toEqual({});
    rmSync(file());
    await layout.write('tabs', 1);
    expect(createLayoutFile(file(), logger).read()).toEqual({ tabs: 1 });
  });

  test('is neither empty nor overwritten while the file cannot be read, and is read when it can be', async () => {
    mkdirSync(file());
    const layout = createLayoutFile(file(), logger);
    const failure = /could not be read/;
    expect(() => layout.read()).toThrowError(failure);
    expect(() => layout.openTabIds()).toThrowError(failure);
    await expect(layout.write('tabs', 1)).rejects.toThrowError(failure);
    rmdirSync(file());
    writeFileSync(file(), '{"views": ["one"]}');
    await layout.write('tabs', 1);
    expect(createLayoutFile(file(), logger).read()).toEqual({ views: ['one'], tabs: 1 });
  });

  test('a missing folder loses the layout and nothing else', async () => {
    const layout = createLayoutFile(join(folder, 'gone', 'layout.json'), logger);
    await layout.write('tabs', 1);
    expect(layout.read()).toEqual({ tabs: 1 });
    expect(warnings).toEqual(['layout not saved']);
  });
});
