/** The page of a report, opened as a file in a browser without a network. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, expect, type Page, test } from '@playwright/test';
import { comparisonSource, fileOf, reportOf } from '../helpers/sample-report.ts';
import { violations } from './accessibility.ts';
import { launchForTests } from './renderer-page.ts';

const ROWS = 10_000;
let browser: Browser;
let folder: string;
test.beforeAll(async () => {
  browser = await launchForTests();
  folder = mkdtempSync(path.join(tmpdir(), 'spandeck-report-'));
});
test.afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

/** Opens a report. The test fails if the page sends a request or breaks its policy. */
async function openReport(html: string, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
  const file = path.join(folder, 'report.html');
  writeFileSync(file, html);
  const context = await browser.newContext({ colorScheme, offline: true });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith('file:') && !request.url().startsWith('blob:')) faults.push(request.url());
  });
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector('html[data-ready]');
  expect(faults).toEqual([]);
  return page;
}

test('a comparison of 10,000 items is read without a network, searched and ordered', async () => {
  const page = await openReport(await fileOf(reportOf(comparisonSource(ROWS))));
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/correctness/);
  const rows = page.getByRole('table', { name: 'Items', exact: true });
  await expect(page.getByRole('status')).toHaveText('10,000 rows');
  expect(await rows.getByRole('row').count()).toBeLessThan(100);
  await page.getByRole('button', { name: 'No.' }).click();
  await expect(rows.getByRole('row').nth(1)).toContainText('10,000');
  // Numbers are found both as they are shown and as they are stored.
  for (const number of ['9,999', '9999']) {
    await page.getByRole('searchbox').fill(number);
    await expect(rows.getByRole('row').nth(1)).toContainText('9,999');
  }
  await page.getByRole('searchbox').fill('wrong tool');
  await expect(page.getByRole('status')).toHaveText(/^1,4\d\d of 10,000 rows$/);
  await page.getByRole('region', { name: 'Rows: Items' }).evaluate((each) => each.scrollTo(0, 1e9));
  await expect(rows.getByRole('row').last()).toHaveAttribute('aria-rowindex', /^14\d\d$/);
  await rows.getByRole('row').last().click();
  await expect(page.getByRole('dialog')).toContainText('Wrong tool');
});

test('its page has no fault of accessibility in light and dark', async () => {
  const html = await fileOf(reportOf(comparisonSource(200)));
  for (const scheme of ['light', 'dark'] as const)
    expect(await violations(await openReport(html, scheme))).toEqual([]);
});

test('texts that look like markup are shown as texts', async () => {
  const hostile =
    '</script><script>document.title = "taken"</script><img src=x onerror="document.title = 1">\u202e';
  const source = comparisonSource(3);
  const [items] = source.tables;
  if (items === undefined) throw new Error('Expected a table.');
  const columns = items.columns.map((column) =>
    column.type === 'text' ? { ...column, title: hostile, values: column.values.map(() => hostile) } : column,
  );
  const report = reportOf({
    ...source,
    title: hostile,
    facts: [{ label: hostile, text: hostile }],
    tables: [{ ...items, title: hostile, columns }],
  });
  const page = await openReport(await fileOf(report));
  expect(await page.title()).toContain('</script>');
  expect(await page.locator('img').count()).toBe(0);
  expect(await page.locator('script').count()).toBe(3);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('<img src=x');
});

test('prints the first 1,000 rows of the search', async () => {
  const page = await openReport(await fileOf(reportOf(comparisonSource(2_000))));
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  await expect(page.getByRole('status')).toHaveText('The first 1,000 rows of 2,000');
  expect(await page.getByRole('table', { name: 'Items', exact: true }).getByRole('row').count()).toBe(1_001);
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  await expect(page.getByRole('status')).toHaveText('2,000 rows');
  expect(await page.getByRole('table', { name: 'Items', exact: true }).getByRole('row').count()).toBeLessThan(
    100,
  );
});
