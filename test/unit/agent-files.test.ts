/** Files shared by several processes for agents: the connections that agents may read, and the log of their reads. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAgentAccess } from '../../electron/engine/agent-access.ts';
import { createAgentLog } from '../../electron/engine/agent-log.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spandeck-agents-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('two processes that open and close connections keep each other’s changes', () => {
  const own = createAgentAccess(join(folder, 'agents'));
  const other = createAgentAccess(join(folder, 'agents'));
  expect(own.list()).toEqual([]);
  expect(own.close('a')).toBe(false);
  own.open('a', 2);
  other.open('b', 1);
  own.open('a', 9);
  expect(own.list()).toEqual([
    { connectionId: 'b', openedAtMs: 1 },
    { connectionId: 'a', openedAtMs: 2 },
  ]);
  expect(other.close('a')).toBe(true);
  expect(own.isOpen('a')).toBe(false);
  expect(own.isOpen('b')).toBe(true);
});

test('nothing is open if a file cannot be read', () => {
  const access = createAgentAccess(join(folder, 'agents'));
  access.open('a', 1);
  writeFileSync(join(folder, 'agents', 'b.json'), '{"openedAtMs": ');
  expect(() => access.isOpen('a')).toThrowError(/b\.json is expected to say/);
});

const read = (question: string) => ({
  ...{ atMs: 1, connectionId: 'a', agent: 'x', tool: 'get', question, bytes: 10, error: null },
});

test('a log that is too large becomes the older one, and no line of the newer is lost', () => {
  const file = join(folder, 'logs', 'agents.jsonl');
  const log = createAgentLog(file);
  log.add(read('first'));
  writeFileSync(file, `${readFileSync(file, 'utf8')}${'x'.repeat(2_100_000)}\n`);
  log.add(read('second'));
  log.add(read('third'));
  expect(readFileSync(`${file}.1`, 'utf8').length).toBeGreaterThan(2_000_000);
  expect(log.newest(3).reads.map(({ question }) => question)).toEqual(['third', 'second', 'first']);
});
