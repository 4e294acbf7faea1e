/** Storage, check and repair on the command line, without a connection and without the service. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../helpers/run-cli.ts';
import { runHere } from '../helpers/run-here.ts';

test('health shows disk usage; check fails if a store is damaged; repair needs --yes and reports its work', async () => {
  const folder = temporaryFolder('cli-health');
  const options = { token: 'contract-token-0123456789', dataDir: folder.path };
  const cli = (...args: string[]) => runHere(args, options);
  // Nothing listens at the address: the command only creates the stores of a connection.
  await cli('jobs', '--base-url', 'http://127.0.0.1:9');

  const storage = JSON.parse((await cli('health', '--json')).stdout);
  expect(storage).toMatchObject({
    connections: [{ kinds: { lists: expect.any(Number), uploads: expect.any(Number) } }],
    shared: { kinds: { settings: expect.any(Number) } },
    disk: { freeBytes: expect.any(Number) },
    aside: [],
  });
  expect((await cli('health')).stdout).toMatch(/free on the disk/);
  expect((await cli('health', 'check')).stdout).toContain('no damage');
  expect((await cli('health', 'repair')).stdout).toBe('No store is damaged.\n');
  // The token is given, and is in no keychain.
  const looked = await cli('health', 'self-check', '--base-url', 'http://127.0.0.1:9');
  expect(looked.stdout).toMatch(/^bad +service: .*Nothing accepts connections at 127\.0\.0\.1:9/m);
  // Scripts detect the problem by the exit code; one line names the parts.
  expect(looked).toMatchObject({ code: 1, stderr: expect.stringMatching(/CHECK_FAILED: .*\bservice\b/) });
  expect(await cli('health', 'mend')).toMatchObject({ code: 2, stderr: expect.stringContaining('got mend') });

  const file = readdirSync(folder.path, { recursive: true, encoding: 'utf8' }).find((name) =>
    name.endsWith('uploads.db'),
  );
  const path = join(folder.path, file ?? '');
  writeFileSync(path, 'no store at all. '.repeat(50));
  const checked = await cli('health', 'check');
  expect(checked.code).not.toBe(0);
  expect(checked.stderr).toMatch(/error STORE_DAMAGED: uploads\.db is damaged.*health repair/);
  const unsure = await cli('health', 'repair');
  expect(unsure).toMatchObject({ code: 2, stderr: expect.stringContaining('Add --yes to repair') });
  expect(unsure.stdout).toContain('It would be set aside');
  expect(readFileSync(path, 'utf8')).toContain('no store at all');

  const done = await cli('health', 'repair', '--yes');
  expect(done.code).toBe(0);
  expect(done.stdout).toContain(`The damaged uploads.db was moved to ${join(dirname(path), 'damaged-')}`);
  expect(done.stdout).toContain('It could not be read');
  expect((await cli('health', 'check')).code).toBe(0);
  expect(JSON.parse((await cli('health', '--json')).stdout).aside).toHaveLength(1);
  expect((await cli('health', 'compact')).stdout).toContain('compacted');
  folder.remove();
});
