import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
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
  test('is empty where nothing was remembered, without a warning', () => {
    expect(createLayoutFile(file(), logger).read()).toEqual({});
    expect(warnings).toEqual([]);
  });

  test('outlives the process, value by value; null forgets one', () => {
    const first = createLayoutFile(file(), logger);
    first.write('tabs', { list: ['a'] });
    first.write('grid.catalog', { order: ['name'] });
    first.write('tabs', null);
    expect(createLayoutFile(file(), logger).read()).toEqual({ 'grid.catalog': { order: ['name'] } });
    expect(readdirSync(folder)).toEqual(['layout.json']);
  });

  test('refuses to grow without end and keeps what it had', () => {
    const layout = createLayoutFile(file(), logger);
    layout.write('tabs', ['a']);
    expect(() => layout.write('junk', 'x'.repeat(1_000_001))).toThrowError(/more than 1 MB/);
    expect(createLayoutFile(file(), logger).read()).toEqual({ tabs: ['a'] });
  });

  test('starts over where the file is damaged', () => {
    writeFileSync(file(), '{"tabs": ');
    const layout = createLayoutFile(file(), logger);
    expect(layout.read()).toEqual({});
    expect(warnings).toEqual(['layout not read']);
    layout.write('tabs', 1);
    expect(createLayoutFile(file(), logger).read()).toEqual({ tabs: 1 });
  });

  test('a folder that is gone loses the layout and nothing else', () => {
    const layout = createLayoutFile(join(folder, 'gone', 'layout.json'), logger);
    layout.write('tabs', 1);
    expect(layout.read()).toEqual({ tabs: 1 });
    expect(warnings).toEqual(['layout not saved']);
  });
});
