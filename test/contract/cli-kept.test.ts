/** On the command line with a real service: the schema of new rows, and when another read would end. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ShapeCount } from '../../electron/core/snapshots/schema-shapes.ts';
import { openSnapshotStore } from '../../electron/db/snapshot-store.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { cliRig } from '../helpers/cli-rig.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

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

test('keeping the same data again sets the interval of --every and says so', async () => {
  const hours = async (): Promise<unknown> => (await cli.answered('kept')).items[0].refreshHours;
  await cli.run('keep', 'dataset', EMPTY);
  const daily = await cli.run('keep', 'dataset', EMPTY, '--every', '1d');
  expect(daily.stderr).toContain('It was kept already and is read again, from now on as --every says.');
  expect(await hours()).toBe(24);
  const again = await cli.run('keep', 'dataset', EMPTY);
  expect(again.stderr).toContain('It was kept already and is read again.');
  expect(await hours()).toBe(24);
});

test('a refresh of all entries ends with the code of the first that was not read, after the list', async () => {
  await cli.run('keep', 'dataset', EMPTY);
  await cli.run('keep', 'model', 'Card fraud');
  expect(await cli.run('kept', 'refresh')).toMatchObject({ code: 0 });
  cli.service.setFaults([
    {
      match: { operation: 'datasets.items' },
      action: { type: 'status', status: 403, reason: 'NoPermission' },
    },
  ]);
  const refused = await cli.run('kept', 'refresh', '--json');
  expect(refused.stderr).toMatch(
    /^error UNPROCESSABLE: 1 of 4 lists of Escalations, to be collected could not/m,
  );
  expect(refused.stderr).toMatch(/Read them again with: kept retry /);
  expect(refused.code).not.toBe(0);
  expect(JSON.parse(refused.stdout)).toMatchObject({ total: 2, complete: true });
  // Each entry that was not read is named.
  cli.service.setFaults(
    (['datasets.items', 'models.get'] as const).map((operation) => ({
      match: { operation },
      action: { type: 'status', status: 403, reason: 'NoPermission' },
    })),
  );
  const both = await cli.run('kept', 'refresh');
  expect(both.stderr).toMatch(
    /^error \w+: 2 of 2 entries were not read completely\. The first: .* of (\S.*) could/m,
  );
  for (const name of [EMPTY, 'Card fraud'])
    expect(both.stderr).toMatch(new RegExp(`lists of ${name} could not be read.*kept retry`));
});

test('doctor names the fields that changed in new rows, until they are accepted', async () => {
  const before = await cli.answered('doctor');
  expect(before).toMatchObject({ schemaChanges: 0 });
  const [connection = ''] = readdirSync(join(cli.folder, 'connections'));
  const store = openSnapshotStore({
    file: join(cli.folder, 'connections', connection, 'snapshots.db'),
    ...{ clock: systemClock, logger: silentLogger },
  });
  let at = 0;
  for (const type of ['number', 'string']) {
    const count = new ShapeCount();
    for (let row = 0; row < 30; row += 1) {
      at += 1;
      count.add({ 'inputs.price': type }, `item ${at}`, '', at);
    }
    store.schema.take({ kind: 'items', id: 'a-dataset' }, { count }, [], at);
  }
  store.close();
  expect(await cli.answered('doctor')).toMatchObject({ schemaChanges: 1 });
  const { stdout } = await cli.run('doctor');
  expect(stdout).toContain('1 field changed in new rows; kept schema lists it:');
  expect(stdout).toContain('inputs.price, a-dataset: from number to text in 30 new rows');
  const [{ id }] = (await cli.answered('kept', 'schema')).items;
  await cli.answered('kept', 'accept', String(id));
  expect((await cli.run('doctor')).stdout).not.toContain('changed in new rows');
});
