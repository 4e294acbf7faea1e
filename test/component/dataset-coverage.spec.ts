/** Compares a dataset with production: coverage, and adding to the draft the spans that fill the gap. */
import type { Page } from '@playwright/test';
import { violationsInBothThemes } from './accessibility.ts';
import { openDataset } from './dataset-steps.ts';
import { callsOf, expect, test } from './fixtures.ts';

async function openCoverage(page: Page): Promise<void> {
  await openDataset(page);
  await page.getByRole('tab', { name: 'Coverage' }).click();
}

async function catalogReads(page: Page): Promise<Record<string, string>[]> {
  return (await callsOf(page, 'library:open-list'))
    .map(({ argument }) => (argument as { query: { query: Record<string, string> } }).query.query)
    .filter((query) => query['entity_type'] !== undefined);
}

test('shows missing values by dimension, and adds the spans that fill the gap to the draft', async ({
  open,
}) => {
  const page = await open({ theme: 'light' });
  await openCoverage(page);
  const values = page.getByRole('table', { name: 'Values of Agent' });
  await expect(values.getByRole('row', { name: /^Voucher agent/ })).toContainText('missing');
  await expect(values.getByRole('row', { name: /^Refund agent/ })).toContainText('too few');
  await expect(page.getByText('61 % of production covered, mean of 3 fields')).toBeVisible();
  await expect(page.getByText(/^412 items .* 380 with their span here/)).toBeVisible();
  await expect(
    page.getByText(/mean coverage rises from 61 % to 84 % \(\d+ random ones: 66 %\)/),
  ).toBeVisible();
  expect(await violationsInBothThemes(page)).toEqual([]);
  await page.setViewportSize({ width: 1_000, height: 640 });

  await page.getByRole('button', { name: /^fiddler.span.user.country/ }).click();
  await expect(page.getByText('24 of 31 values in')).toBeVisible();
  // Only four of the values are shown, so the heading does not say "all".
  const shares = page.getByRole('region', { name: 'Values' });
  await expect(shares.getByText('4 largest', { exact: true })).toBeVisible();
  await expect(shares.getByText(/^All \d/)).toHaveCount(0);
  await page.getByRole('checkbox', { name: 'Span type counts' }).uncheck();
  await page.getByRole('combobox', { name: 'Type of the proposed spans' }).selectOption('llm');
  await expect
    .poll(async () => (await callsOf(page, 'datasets:coverage')).at(-1)?.argument)
    .toMatchObject({
      dimensions: ['agent_name', 'attribute fiddler.span.user.country'],
      ...{ spanType: 'llm', size: 50, buildId: null },
    });
  await page.getByRole('button', { name: 'Select 50 spans' }).click();
  await expect(page.getByText('50 spans selected')).toBeVisible();
  await expect(page.getByRole('button', { name: '50 in the draft' })).toBeVisible();
  const [pick] = await callsOf(page, 'builds:pick-spans');
  expect(pick?.argument).toMatchObject({ spans: Array.from({ length: 50 }, () => expect.anything()) });
  // Spans in the draft are counted, and not suggested again.
  await expect
    .poll(async () => (await callsOf(page, 'datasets:coverage')).at(-1)?.argument)
    .toMatchObject({ buildId: expect.any(String) });
});

test('filters fields by name, and values by deviation from production', async ({ open }) => {
  const page = await open();
  await openCoverage(page);
  const values = page.getByRole('region', { name: 'Values' });
  await values.getByText('Too few 2', { exact: true }).click();
  await expect(values.getByRole('row')).toHaveCount(3);
  await expect(values).toContainText('Voucher agent');
  await values.getByText('Too many 3', { exact: true }).click();
  await expect(values).not.toContainText('Voucher agent');
  await expect(values).toContainText('not in production');
  await page.getByRole('textbox', { name: 'Filter fields' }).fill('COUNTRY');
  await expect(page.getByRole('region', { name: 'Fields' }).getByRole('listitem')).toHaveCount(1);
  // Another field starts with all of its values.
  await expect(values).toContainText('PL');
  await page.setViewportSize({ width: 1_000, height: 640 });
  await page.getByRole('textbox', { name: 'Filter fields' }).fill('nothing');
  await expect(page.getByText('No field contains “nothing”.')).toBeVisible();
});

test('leaves out both of two fields that are unticked before the first comparison is answered', async ({
  open,
}) => {
  const page = await open({ coverage: 'slow' });
  await openCoverage(page);
  const counts = (title: string) => page.getByRole('checkbox', { name: `${title} counts` });
  await counts('Span type').click();
  await counts('Agent').click();
  await expect
    .poll(async () => (await callsOf(page, 'datasets:coverage')).at(-1)?.argument)
    .toMatchObject({ dimensions: ['attribute fiddler.span.user.country'] });
  await expect(counts('Span type')).not.toBeChecked();
  await expect(counts('Agent')).not.toBeChecked();
});

test('reads a missing catalog in one step, but not while offline', async ({ open }) => {
  const page = await open({ coverage: 'empty' });
  await openCoverage(page);
  await page.setViewportSize({ width: 1_000, height: 640 });
  await page.getByRole('button', { name: /^Read the catalog/ }).click();
  await expect.poll(() => catalogReads(page)).toHaveLength(4);
  const offline = await open({ coverage: 'empty', network: 'switched-off', theme: 'dark' });
  await openCoverage(offline);
  await expect(offline.getByRole('button', { name: /^Read the catalog/ })).toBeDisabled();
});

test('shows the error of an unreadable catalog, and reads it again', async ({ open }) => {
  const page = await open({ coverage: 'empty', lists: 'failed' });
  await openCoverage(page);
  await page.getByRole('button', { name: /^Read the catalog/ }).click();
  const alert = page.getByRole('alert').filter({ hasText: 'The catalog was not read.' });
  await expect(alert).toContainText('nothing listens there');
  await page.setViewportSize({ width: 1_000, height: 640 });
  await alert.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(async () => (await catalogReads(page)).length).toBe(8);
});

test('works offline, and shows errors', async ({ open }) => {
  const page = await open({ network: 'switched-off' });
  await openCoverage(page);
  await expect(page.getByRole('button', { name: 'Select 50 spans' })).toBeEnabled();
  await expect(page.getByRole('button', { name: 'Read values of 2 more attributes' })).toBeDisabled();
  await page.setViewportSize({ width: 1_000, height: 640 });
  const failed = await open({ coverage: 'failed' });
  await openCoverage(failed);
  await expect(failed.getByRole('alert')).toBeVisible();
});

test('calls no value missing while no span of an item is stored', async ({ open }) => {
  const page = await open({ coverage: 'unknown' });
  await openCoverage(page);
  await expect(page.getByText('Coverage is not known yet.')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Agent not known/ })).toBeVisible();
  const values = page.getByRole('table', { name: 'Values of Agent' });
  await expect(values.getByRole('row', { name: /^Voucher agent/ })).toContainText('9 %');
  await expect(values).not.toContainText('missing');
  await expect(page.getByText(/^Too few/)).toHaveCount(0);
  expect(await violationsInBothThemes(page)).toEqual([]);
});
