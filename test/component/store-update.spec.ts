/** The window shows that the stored data of a connection is being migrated to this version. */
import { violations } from './accessibility.ts';
import type { FakeWindow } from './fake-main/scenario.ts';
import { expect, test } from './fixtures.ts';

const CONNECTION_ID = '6a1f0d3e-2b64-4f0e-9a53-0d8f6f3f1c11';

test('shows size and progress, and nothing after completion or for another connection', async ({ open }) => {
  const updating = [{ connectionId: CONNECTION_ID, sizeBytes: 1_288_000_000, share: 0.25 }];
  const page = await open({ updating });
  const text = page.getByText(
    /^Stored data of this connection \(1[.,]\d+ GB\) is being updated to this version/,
  );
  await expect(text).toBeVisible();
  const bar = page.getByRole('progressbar', { name: 'Update of stored data' });
  await expect(bar).toHaveAttribute('aria-valuenow', '0.25');
  expect(await violations(page)).toEqual([]);
  const notify = (list: typeof updating) =>
    page.evaluate(async (told) => {
      const fake = globalThis as unknown as FakeWindow & {
        spandeck: { invoke: (channel: string) => Promise<{ value: object }> };
      };
      const { value } = await fake.spandeck.invoke('connections:list');
      fake.fakeEvent('connections:changed', { ...value, updating: told });
    }, list);
  await notify(updating.map((each) => ({ ...each, share: 0.75 })));
  await expect(bar).toHaveAttribute('aria-valuenow', '0.75');
  await notify(updating.map((each) => ({ ...each, connectionId: 'another' })));
  await expect(bar).toHaveCount(0);
  await notify(updating);
  await expect(bar).toBeVisible();
  await notify([]);
  await expect(text).toHaveCount(0);
});
