/** A dataset against production: what is covered, and the spans that fill the gap, into the basket. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Page, TestInfo } from '@playwright/test';
import { callsOf, expect, test } from './fixtures.ts';

const SIZES = [
  { width: 1_280, height: 800 },
  { width: 1_000, height: 640 },
];

async function picture(page: Page, testInfo: TestInfo, name: string): Promise<void> {
  for (const size of SIZES) {
    await page.setViewportSize(size);
    await page.screenshot({ path: testInfo.outputPath(`${name}-${size.width}.png`) });
  }
}

async function openCoverage(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'Datasets' }).click();
  const datasets = page.getByRole('grid', { name: 'Datasets' });
  await expect(datasets.getByRole('gridcell').first()).toBeVisible();
  await datasets.press('Enter');
  await page.getByRole('tab', { name: 'Coverage' }).click();
}

for (const theme of ['light', 'dark'] as const) {
  test(`what is missing is shown by dimension, and the spans that fill the gap go into the basket (${theme})`, async ({
    open,
  }, testInfo) => {
    const page = await open({ theme });
    await openCoverage(page);
    const values = page.getByRole('table', { name: 'Values of Agent' });
    await expect(values.getByRole('row', { name: /^Voucher agent/ })).toContainText('missing');
    await expect(values.getByRole('row', { name: /^Refund agent/ })).toContainText('too few');
    await expect(page.getByText('412 stored items')).toBeVisible();
    await expect(
      page.getByText(/mean coverage from 61 % to 84 %; as many drawn blindly: 66 %/),
    ).toBeVisible();
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
    await picture(page, testInfo, `coverage-${theme}`);

    await page.getByRole('button', { name: /^fiddler.span.user.country/ }).click();
    await expect(page.getByText('24 of 31 values in')).toBeVisible();
    await page.getByRole('checkbox', { name: 'Span type counts' }).uncheck();
    await page.getByRole('combobox', { name: 'Type of the proposed spans' }).selectOption('llm');
    await expect
      .poll(async () => (await callsOf(page, 'datasets:coverage')).at(-1)?.argument)
      .toMatchObject({
        dimensions: ['agent_name', 'attribute fiddler.span.user.country'],
        ...{ spanType: 'llm', size: 50, buildId: null },
      });
    await page.getByRole('button', { name: 'Pick 50 spans' }).click();
    await expect(page.getByText('50 spans picked')).toBeVisible();
    const [pick] = await callsOf(page, 'builds:pick-spans');
    expect(pick?.argument).toMatchObject({ spans: Array.from({ length: 50 }, () => expect.anything()) });
    // What is in the basket now counts, and is not proposed again.
    await expect
      .poll(async () => (await callsOf(page, 'datasets:coverage')).at(-1)?.argument)
      .toMatchObject({ buildId: expect.any(String) });
  });
}

test('where nothing of the catalog is stored it is read by one act, and not offline', async ({
  open,
}, testInfo) => {
  const page = await open({ coverage: 'empty' });
  await openCoverage(page);
  await picture(page, testInfo, 'empty');
  await page.getByRole('button', { name: 'Read the catalog' }).click();
  await expect
    .poll(async () =>
      (await callsOf(page, 'library:open-list'))
        .map(({ argument }) => (argument as { query: { query: Record<string, string> } }).query.query)
        .filter((query) => query['entity_type'] !== undefined),
    )
    .toHaveLength(4);
  const offline = await open({ coverage: 'empty', network: 'switched-off', theme: 'dark' });
  await openCoverage(offline);
  await expect(offline.getByRole('button', { name: 'Read the catalog' })).toBeDisabled();
  await picture(offline, testInfo, 'empty-offline');
});

test('it works offline, and a failure says why', async ({ open }, testInfo) => {
  const page = await open({ network: 'switched-off' });
  await openCoverage(page);
  await expect(page.getByRole('button', { name: 'Pick 50 spans' })).toBeEnabled();
  await expect(page.getByRole('button', { name: 'Read values of 2 more attributes' })).toBeDisabled();
  await picture(page, testInfo, 'offline');
  const failed = await open({ coverage: 'failed' });
  await openCoverage(failed);
  await expect(failed.getByRole('alert')).toBeVisible();
  await picture(failed, testInfo, 'failed');
});
