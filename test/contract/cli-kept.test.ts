/** The schema of new rows, and the end of another reading, on the command line; a real service. */
import { expect, test } from 'vitest';
import { cliRig } from '../helpers/cli-rig.ts';

const cli = cliRig('cli-kept');
const EMPTY = 'Escalations, to be collected';

test('the command line reports an unchanged schema, and refuses a wrong id or time with the expected form', async () => {
  const none = await cli.run('kept', 'schema');
  expect(none).toMatchObject({ code: 0 });
  expect(none.stdout).toContain('New rows have the schema of the earlier ones.');
  expect(await cli.answered('kept', 'schema')).toMatchObject({ items: [], total: 0, complete: true });
  const typed = await cli.run('kept', 'accept', 'price');
  expect(typed.code).not.toBe(0);
  expect(typed.stderr).toContain('expects the ID of a change, a number; got price.');
  const missing = await cli.run('kept', 'accept', '7');
  expect(missing.code).not.toBe(0);
  expect(missing.stderr).toContain('Expected an open change of a schema, got 7.');

  await cli.run('keep', 'dataset', EMPTY);
  const [{ id }] = (await cli.answered('kept')).items;
  const untimed = await cli.run('kept', 'ready', id);
  expect(untimed.stderr).toContain('kept ready expects --by with a time such as 17:40.');
  const past = await cli.run('kept', 'ready', id, '--by', '2020-01-01 10:00');
  expect(past.stderr).toContain('--by expects a time in the future');
  const ready = await cli.answered('kept', 'ready', id, '--by', '2099-01-01 10:00');
  expect(ready).toMatchObject({ id, ready: true, requests: 4, lastMs: expect.any(Number) });
  expect((await cli.run('kept', 'ready', id, '--by', '2099-01-01 10:00')).stdout).toMatch(
    /^Yes: begun now, it takes .* for 4 requests .* before\.$/m,
  );
});
