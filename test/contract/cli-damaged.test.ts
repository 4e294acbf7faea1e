/** The command line lists and removes stored rows that cannot be read. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/run-cli.ts';
import { runHere } from '../helpers/run-here.ts';

test('damaged entries of every kind are listed; one is removed with --yes, by its id or as the only one', async () => {
  const folder = temporaryFolder('cli-damaged');
  // Nothing listens at the address, as these commands need no service.
  const options = { token: 'contract-token-0123456789', dataDir: folder.path };
  const cli = (...args: string[]) => runHere([...args, '--base-url', 'http://127.0.0.1:9'], options);
  expect(JSON.parse((await cli('damaged', '--json')).stdout)).toMatchObject({ items: [] });

  const file = readdirSync(folder.path, { recursive: true, encoding: 'utf8' }).find((name) =>
    name.endsWith('datasets.db'),
  );
  const db = new BetterSqlite(join(folder.path, file ?? ''));
  const worn = db.prepare("INSERT INTO preset VALUES (?, 'app', ?, '[7]', 7)");
  for (const [id, name] of [
    ['worn-1', 'Refunds'],
    ['torn-2', 'Claims'],
  ])
    worn.run(id, name);
  db.close();

  const listed = JSON.parse((await cli('damaged', '--json')).stdout);
  expect(listed.items).toMatchObject([
    { kind: 'preset', id: 'torn-2', title: 'Claims', at: '1970-01-01T00:00:00.007Z' },
    { kind: 'preset', id: 'worn-1', title: 'Refunds', reason: expect.stringContaining('expected form') },
  ]);
  expect((await cli('damaged')).stdout).toContain('saved mapping');

  const unsure = await cli('damaged', 'remove', 'worn-1');
  expect(unsure).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Add --yes to remove the saved mapping “Refunds”'),
  });
  expect((await cli('damaged', 'remove', '--yes')).stderr).toContain('2 damaged entries fit');
  expect((await cli('damaged', 'remove', 'worn-1', '--yes')).stdout).toContain(
    'Removed the saved mapping “Refunds”',
  );
  expect((await cli('damaged', 'remove', '--yes')).code).toBe(0);
  expect(JSON.parse((await cli('damaged', '--json')).stdout)).toMatchObject({ items: [] });
  expect((await cli('damaged', 'remove', 'worn-1', '--yes')).stderr).toContain('No damaged entry worn-1');
  folder.remove();
});

test('a store that cannot be read at all is named, in place of the sentence that every entry can be read', async () => {
  const folder = temporaryFolder('cli-unread-stores');
  const options = { token: 'contract-token-0123456789', dataDir: folder.path };
  const cli = (...args: string[]) => runHere([...args, '--base-url', 'http://127.0.0.1:9'], options);
  expect((await cli('damaged')).stdout).toBe('Every entry of this computer can be read.\n');

  const file = readdirSync(folder.path, { recursive: true, encoding: 'utf8' }).find((name) =>
    name.endsWith('uploads.db'),
  );
  writeFileSync(join(folder.path, file ?? ''), 'no store');
  const { stdout, stderr } = await cli('damaged');
  expect(stdout).toBe('No damaged entry is in the stores that can be read.\n');
  expect(stderr.match(/Not searched for damaged entries: uploads\.db is damaged/g)).toHaveLength(1);
  expect(JSON.parse((await cli('damaged', '--json')).stdout)).toMatchObject({ items: [], complete: false });
  folder.remove();
});
