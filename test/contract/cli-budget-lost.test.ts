/** A data folder whose budget file was removed: the loss is reported, and still no limit is exceeded. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LaneOverview } from '../../electron/shared/traffic-model.ts';
import { temporaryFolder } from '../helpers/run-cli.ts';
import { runHere } from '../helpers/run-here.ts';

test('a lost budget file is reported once, and the daily limit of deletions counts as used', async () => {
  const folder = temporaryFolder('cli-budget-lost');
  const options = { token: 'contract-token-0123456789', dataDir: folder.path };
  // Nothing listens at the address: the command only creates the stores of a connection.
  const cli = (...args: string[]) => runHere([...args, '--base-url', 'http://127.0.0.1:9'], options);
  const deletions = async () => {
    const { stdout, stderr } = await cli('budget', '--all', '--json');
    const { lanes }: LaneOverview = JSON.parse(stdout);
    const day = lanes.find(({ limitTitle }) => limitTitle === 'Event deletion')?.windows;
    return { day, stderr };
  };
  expect(await deletions()).toMatchObject({ day: [{ count: 30, used: 0 }], stderr: '' });
  for (const name of readdirSync(folder.path).filter((each) => each.startsWith('budget.db'))) {
    rmSync(join(folder.path, name));
  }
  const lost = await deletions();
  expect(lost.day).toMatchObject([{ count: 30, used: 30 }]);
  expect(lost.stderr).toMatch(
    /budget\.db is missing, so what was sent before is not known\. .* up to a day\./,
  );
  expect(await deletions()).toMatchObject({ day: [{ used: 30 }], stderr: '' });
  folder.remove();
});
