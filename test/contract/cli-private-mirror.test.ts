/** Private values in the table of requests that a mirror contains. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { expect, test } from 'vitest';
import { cliRig } from '../helpers/cli-rig.ts';

const rig = cliRig('cli-private-mirror');

test('a search for a private value is masked in the addresses of requests', async () => {
  await rig.run('datasets', '--search', 'golden', '--limit', '1');
  const target = rig.file('mirror');
  const addresses = async () => {
    await rig.run('mirror', target, '--tables', 'requests');
    const { tables } = JSON.parse(readFileSync(join(target, 'catalog.json'), 'utf8'));
    const [{ path }] = tables.requests.files;
    const file = Uint8Array.from(readFileSync(join(target, path))).buffer;
    return (await parquetReadObjects({ file, compressors })).map(({ url }) => String(url)).join('\n');
  };
  expect(await addresses()).toContain('search=golden');
  await rig.run('settings', 'set', 'privateFields', 'description');
  const masked = await addresses();
  expect(masked).not.toContain('golden');
  expect(masked).toContain('search=[redacted]');
});
