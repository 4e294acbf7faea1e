/** Datasets from spans with a planned start, which takes place after a restart of the application. */
import type { Page } from '@playwright/test';
import { HOUR_MS, MINUTE_MS, startedAhead } from '../helpers/clock-ahead.ts';
import { ConnectionPage, WelcomePage, Workbench } from '../helpers/pages.ts';
import { expect, type TestService, test } from '../helpers/product.ts';
import { itemsOf, SpansPage } from '../helpers/span-pages.ts';

const DATASET = 'Refunds from spans';

async function connect(page: Page, service: TestService): Promise<SpansPage> {
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  await expect(new Workbench(page).row('Applications', 'Support assistant')).toBeVisible();
  return new SpansPage(page);
}

test('starts a planned dataset once at the next start, and reports that it is late', async ({
  launch,
  service,
}) => {
  const first = await launch();
  let spans = await connect(first.page, service);
  await spans.open();
  await spans.look('Last 30 days');
  await spans.pickFirst(250);
  await spans.expectPicked(250);
  await spans.makeDataset();
  await spans.prepare(DATASET);
  const calls = () => service.now.report().operations['datasets.add-spans']?.requests ?? 0;

  await test.step('shows its cost before it is sent', async () => {
    await spans.view.getByText('Start later', { exact: true }).click();
    await spans.button('In 1 hour').click();
    await expect(spans.view.getByRole('region', { name: 'Plan' })).toContainText('Add items from spans 2)');
    await spans.button('Create the dataset with 250 items later').click();
    await expect(spans.view.getByText(/^It starts at/)).toBeVisible();
    await expect(spans.bench.status.getByRole('button', { name: '1 scheduled' })).toBeVisible();
    expect(calls()).toBe(0);
  });
  await first.close();
  expect(calls()).toBe(0);

  const { page } = await launch(startedAhead(HOUR_MS + MINUTE_MS));
  spans = new SpansPage(page);
  await expect(spans.view.getByText('Done', { exact: true })).toBeVisible();
  await expect(spans.bench.status).not.toContainText('scheduled');
  expect((await itemsOf(service, DATASET)).size).toBe(250);
  expect(calls()).toBe(2);
  expect(service.now.report()).toMatchObject({ violations: 0, unknownRoutes: 0, malformedRequests: 0 });
});
