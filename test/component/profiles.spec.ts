/** Column summaries in a grid: their counts, their filters, and the notes on them while they are inexact. */
import type { Page } from '@playwright/test';
import { callsOf, expect, openEntities, test } from './fixtures.ts';
import { takePictures } from './pictures.ts';
import { openSpans } from './span-steps.ts';

const grid = (page: Page) => page.getByRole('grid', { name: 'Entities of Support assistant' });
const head = (page: Page, title: string) =>
  grid(page).getByRole('columnheader', { name: title, exact: true });
const profiles = (page: Page) => page.getByRole('button', { name: 'Profiles', exact: true });
const count = (page: Page) => page.getByRole('main').getByRole('status').first();

/** Returns the number at the end of the name of a bar or value. */
async function rowsOf(page: Page, title: string, at: number): Promise<{ name: string; rows: string }> {
  const name = (await head(page, title).locator('[data-at]').nth(at).getAttribute('aria-label')) ?? '';
  return { name, rows: name.slice(name.lastIndexOf(', ') + 2) };
}

async function openProfiles(page: Page): Promise<void> {
  await openEntities(page);
  await profiles(page).click();
  await expect(head(page, 'Data type').getByRole('group', { name: 'Values of Data type' })).toBeVisible();
}

test('filters by a clicked value, updates other heads, and clears by another click or Escape', async ({
  open,
}) => {
  const page = await open();
  await openProfiles(page);
  const { name, rows } = await rowsOf(page, 'Data type', 0);
  const value = head(page, 'Data type').getByRole('button', { name });
  await takePictures(page, test.info(), 'open');
  // The use of a value is explained only in its tooltip.
  await expect(page.getByRole('main')).not.toContainText('to filter');
  await value.hover();
  await expect(page.getByRole('tooltip')).toContainText('Click to filter.');
  await value.click();
  await expect(count(page)).toContainText(new RegExp(`^${rows} of `));
  await expect(value).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByRole('button', { name: /^Remove Data type / })).toBeVisible();
  const others = head(page, 'Semantic name').locator('[data-at]');
  const sum = async () =>
    (
      await others.evaluateAll((parts) =>
        parts.map((part) => Number(part.ariaLabel?.split(', ').at(-1)?.replaceAll(',', ''))),
      )
    ).reduce((total, each) => total + each, 0);
  await expect.poll(sum).toBeLessThanOrEqual(Number(rows.replaceAll(',', '')));
  await value.click();
  await expect(value).toHaveAttribute('aria-pressed', 'false');
  await value.click();
  await expect(value).toHaveAttribute('aria-pressed', 'true');
  await page.keyboard.press('Escape');
  await expect(value).toHaveAttribute('aria-pressed', 'false');
  await expect(page.getByRole('button', { name: /^Remove Data type / })).toBeHidden();
});

test('selects a range by a drag over bars, and shows rows and share of the part under the pointer', async ({
  open,
}) => {
  const page = await open();
  await openProfiles(page);
  const bars = head(page, 'Rows').getByRole('group', { name: 'Values of Rows' }).getByRole('button');
  const [first, third] = [await bars.nth(0).boundingBox(), await bars.nth(2).boundingBox()];
  if (first === null || third === null) throw new Error('Expected bars in the head of the column Rows.');
  await page.mouse.move(first.x + 2, first.y + 20);
  await expect(page.getByRole('tooltip')).toContainText(/Rows \S+ to \S+.*% of [\d,]+ stored/);
  await page.mouse.down();
  await page.mouse.move(third.x + 2, third.y + 20, { steps: 4 });
  await expect(page.getByRole('tooltip')).toContainText('3 bars.');
  await page.mouse.up();
  const rows = await bars.evaluateAll((all) =>
    all
      .slice(0, 3)
      .reduce((sum, bar) => sum + Number(bar.ariaLabel?.split(', ').at(-1)?.replaceAll(',', '')), 0),
  );
  await expect(count(page)).toContainText(`${rows.toLocaleString('en-US')} of `);
  await expect(bars.nth(2)).toHaveAttribute('aria-pressed', 'true');
  await expect(bars.nth(3)).toHaveAttribute('aria-pressed', 'false');
  await page.getByRole('button', { name: 'Clear', exact: true }).click();
  await expect(bars.nth(2)).toHaveAttribute('aria-pressed', 'false');
});

test('moves through summaries by F and arrows, sets a filter by Enter, clears and leaves by Escape', async ({
  open,
}) => {
  const page = await open();
  await openProfiles(page);
  await grid(page).focus();
  await page.keyboard.press('f');
  const active = () => grid(page).getAttribute('aria-activedescendant');
  expect(await active()).toContain('-part-');
  const before = await active();
  await page.keyboard.press('f');
  expect(await active()).not.toBe(before);
  await page.keyboard.press('ArrowRight');
  const part = page.locator(`[id="${await active()}"]`);
  await page.keyboard.press('Enter');
  await expect(part).toHaveAttribute('aria-pressed', 'true');
  await page.keyboard.press('Escape');
  await expect(part).toHaveAttribute('aria-pressed', 'false');
  await page.keyboard.press('Escape');
  expect(await active()).not.toContain('-part-');
});

test('requests nothing while heads are collapsed, and stores that state for the grid', async ({ open }) => {
  const page = await open();
  await openEntities(page);
  expect(await callsOf(page, 'library:profile')).toEqual([]);
  await profiles(page).click();
  await expect(profiles(page)).toHaveAttribute('aria-pressed', 'true');
  const kept = async () => (await callsOf(page, 'layout:write')).map(({ argument }) => argument);
  await expect.poll(kept).toContainEqual(
    expect.objectContaining({
      key: 'grid.catalog',
      value: expect.objectContaining({ showsSummaries: true }),
    }),
  );
});

test('marks a sample until all rows are counted, and reports a full disk above the grid', async ({
  open,
}) => {
  const sampled = await open({ profiles: 'sample' });
  await openProfiles(sampled);
  await expect(sampled.getByText('Sample of 400 rows. All rows: 33 % ready.')).toBeVisible();
  await sampled.close();
  const failed = await open({ profiles: 'failed' });
  await openEntities(failed);
  await profiles(failed).click();
  await expect(failed.getByRole('alert')).toContainText('The disk has no room');
  await expect(failed.getByRole('button', { name: 'Try again' })).toBeVisible();
});

test('shows the times of spans above the grid: a drag over bars selects a range with the stated number of rows', async ({
  open,
}) => {
  const page = await open();
  const spans = await openSpans(page);
  const bars = page.getByRole('group', { name: 'Values of Start' }).getByRole('button');
  // The whole time range is drawn, although all spans are at its end.
  await expect.poll(() => bars.count()).toBeGreaterThan(50);
  const figures = await bars.evaluateAll((all) =>
    all.map((bar) => Number(bar.ariaLabel?.split(', ').at(-1)?.replaceAll(',', ''))),
  );
  const start = figures.findIndex((figure) => figure > 0);
  const end = start + 2;
  const [first, last] = [await bars.nth(start).boundingBox(), await bars.nth(end).boundingBox()];
  if (first === null || last === null) throw new Error('Expected bars above the spans.');
  await page.mouse.move(first.x + 2, first.y + 20);
  await expect(page.getByRole('tooltip')).toContainText('Click for this bar only, drag for several.');
  await takePictures(page, test.info(), 'times');
  await page.mouse.move(first.x + 2, first.y + 20);
  await page.mouse.down();
  await page.mouse.move(last.x + 2, last.y + 20, { steps: 4 });
  await page.mouse.up();
  const rows = figures.slice(start, end + 1).reduce((sum, each) => sum + each, 0);
  expect(rows).toBeGreaterThan(0);
  await expect(spans).toHaveAttribute('aria-rowcount', String(rows + 1));
  await expect(bars.nth(end)).toHaveAttribute('aria-pressed', 'true');
  await expect(bars.nth(end + 1)).toHaveAttribute('aria-pressed', 'false');
  await page.getByRole('button', { name: /^Remove Start / }).click();
  await expect(bars.nth(end)).toHaveAttribute('aria-pressed', 'false');
});

test('the words shown for a status find its rows, and a column without room has no field', async ({
  open,
}) => {
  const page = await open({ spans: [{ status_code: 'UNSET' }] });
  const spans = await openSpans(page);
  await page.getByRole('button', { name: /^Columns/ }).click();
  await page.getByRole('checkbox', { name: 'Status', exact: true }).check();
  await page.keyboard.press('Escape');
  const unset = spans.getByRole('gridcell', { name: 'No status' });
  const isCut = await unset.evaluate((cell) =>
    [cell, ...cell.querySelectorAll('*')].some(
      (each) => each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0,
    ),
  );
  expect(isCut).toBe(false);
  await spans.focus();
  await page.keyboard.press('F2');
  const field = page.getByRole('textbox', { name: 'Filter Status', exact: true });
  await expect(field).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Filter Type', exact: true })).toHaveCount(0);
  const statuses = spans.getByRole('gridcell', { name: /^(OK|Failed|No status)$/ });
  for (const typed of ['failed', '=Failed', 'error', '=ERROR']) {
    await field.fill('');
    await expect(unset).toBeVisible();
    await field.fill(typed);
    await expect(unset).toBeHidden();
    const left = async () => [...new Set(await statuses.allTextContents())];
    await expect.poll(left, typed).toEqual(['Failed']);
  }
  await field.press('Enter');
  await expect(field).toHaveValue('=Failed');
});

test('filters by text typed below a head: updates the rows, explains invalid text, and clears by Escape', async ({
  open,
}) => {
  const page = await open();
  await openEntities(page);
  await expect(grid(page)).toBeVisible();
  await grid(page).focus();
  await page.keyboard.press('F2');
  const field = page.getByRole('textbox', { name: 'Filter Rows', exact: true });
  await expect(page.getByRole('textbox', { name: /^Filter / }).first()).toBeVisible();
  await field.fill('many');
  await expect(page.getByRole('alert')).toContainText('Expected a number, such as 5, >5');
  await expect(field).toHaveAttribute('aria-invalid', 'true');
  await field.fill('>10000');
  await expect(page.getByRole('alert')).toBeHidden();
  await expect(page.getByRole('button', { name: /^Remove Rows / })).toBeVisible();
  await expect(count(page)).toContainText(/ of /);
  await field.press('Enter');
  await expect(grid(page)).toBeFocused();
  await expect(field).toHaveValue('>10000');
  await field.press('Escape');
  await expect(field).toHaveValue('');
  await expect(page.getByRole('button', { name: /^Remove Rows / })).toBeHidden();
  await page.getByRole('button', { name: 'Search by column' }).click();
  await expect(field).toBeHidden();
});
