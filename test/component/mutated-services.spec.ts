/** Views with records of a future version of the service are not blank and do not fail. */

import { forEachPlace } from '../helpers/places.ts';
import type { FakeWindow } from './fake-main/scenario.ts';
import { expect, test } from './fixtures.ts';

const SEEDS = [0, 1, 2];

for (const seed of SEEDS) {
  test(`every place shows records with other types (${seed})`, async ({ open }) => {
    const page = await open({ mutatedSeed: seed });
    await forEachPlace(page, async (name) => {
      const main = page.getByRole('main');
      await expect(main, name).not.toContainText(/\[object Object\]|undefined|Invalid Date/);
      const cell = main.getByRole('gridcell').first();
      if (!(await cell.isVisible())) return;
      await cell.dblclick();
      await expect(main.getByRole('heading').first(), `${name}, opened`).toBeVisible();
      await expect(main, `${name}, opened`).not.toContainText(/\[object Object\]|undefined|Invalid Date/);
    });
  });
}

test('says once for each connection that the service answers in another form', async ({ open }) => {
  const page = await open();
  const tell = (connectionId: string, field: string) =>
    page.evaluate(
      ([of, name]) =>
        (globalThis as unknown as FakeWindow).fakeEvent('connections:difference', {
          connectionId: of ?? '',
          text: `GET /v3/models: the field ${name} is a text, and a number was expected.`,
        }),
      [connectionId, field],
    );
  await tell('a', 'row_count');
  await tell('a', 'version');
  const notice = page.getByText('The service answers in another form than expected');
  await expect(notice).toHaveCount(1);
  await expect(page.getByText(/the field row_count is a text/)).toBeVisible();
  await tell('b', 'task');
  await expect(notice).toHaveCount(2);
});
