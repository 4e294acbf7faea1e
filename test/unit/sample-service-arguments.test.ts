import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseServiceArguments } from '../../electron/sample-service/arguments.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'service-arguments-'));
  writeFileSync(join(folder, 'text.json'), '{');
  writeFileSync(join(folder, 'object.json'), JSON.stringify({ policy: 'loose' }));
  writeFileSync(join(folder, 'list.json'), JSON.stringify([{}]));
  writeFileSync(join(folder, 'limits.json'), JSON.stringify({ policy: 'fixed' }));
  writeFileSync(join(folder, 'faults.json'), JSON.stringify([{ action: { type: 'drop' } }]));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const parse = (line: string): ReturnType<typeof parseServiceArguments> =>
  parseServiceArguments(line.split(' ').map((word) => word.replace('@', `${folder}/`)));

describe('arguments of the service', () => {
  it('set the options', () => {
    expect(parse('--port 8080 --token t')).toEqual({
      port: 8_080,
      token: 't',
      tokens: [],
      dbFile: null,
      limits: 'spec',
      faults: [],
      isEmpty: false,
      isStrict: false,
      settings: {},
    });
    const all =
      '--port 0 --token t --read-only-token r --db x.db --limits @limits.json --faults @faults.json --empty --strict --cap 9';
    expect(parse(all)).toEqual({
      port: 0,
      token: 't',
      tokens: [{ token: 'r', role: 'read-only' }],
      dbFile: 'x.db',
      limits: { policy: 'fixed' },
      faults: [{ action: { type: 'drop' } }],
      isEmpty: true,
      isStrict: true,
      settings: { maxLimit: 9 },
    });
    expect(parse('--port 0 --token t --limits off').limits).toBe('off');
  });

  it.each([
    ['--token t', '--port is missing'],
    ['--port 0', '--token is missing'],
    ['--port 70000 --token t', '--port must be a whole number'],
    ['--port 1e3 --token t', '--port must be a whole number'],
    ['--port 0 --token ', '--token must be'],
    ['--port 0 --token t --cap 0', '--cap must be'],
    ['--port 0 --token t --limits @none.json', 'cannot be read (ENOENT)'],
    ['--port 0 --token t --limits @text.json', 'is not JSON'],
    ['--port 0 --token t --limits @object.json', 'policy'],
    ['--port 0 --token t --faults @list.json', '[0].action'],
    ['--port 0 --token t --verbose', "'--verbose'"],
    ['--port 0 --token t more', "'more'"],
  ])('%s is rejected', (line, part) => {
    expect(() => parse(line)).toThrow(part);
  });
});
