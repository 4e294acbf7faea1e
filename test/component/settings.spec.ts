/**
 * The settings view: search, immediate changes, defaults, undo, settings of a connection, export, import, and invalid
 * values.
 */
import type { Locator, Page } from '@playwright/test';
import { callsOf, expect, test } from './fixtures.ts';
import { openSearch } from './search-steps.ts';

async function openSettings(page: Page): Promise<void> {
  await page.keyboard.press('Control+,');
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
}
const line = (page: Page, name: string) => page.getByRole('group', { name, exact: true });
const lastSet = async (page: Page) => (await callsOf(page, 'settings:set')).at(-1)?.argument;

test('finds the settings in the palette by theme and settings, and opens them by Ctrl+, with the focus in the search', async ({
  open,
}) => {
  const page = await open();
  for (const typed of ['theme', 'settings']) {
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('combobox', { name: 'Search everything' })).toBeFocused();
    await page.keyboard.type(typed);
    await expect(page.getByRole('option', { name: /^Settings/ }).first()).toBeVisible();
    await page.keyboard.press('Escape');
  }
  await openSettings(page);
  await expect(page.getByRole('textbox', { name: 'Search settings' })).toBeFocused();
});

test('highlights search matches and counts them by category', async ({ open }) => {
  const page = await open();
  await openSettings(page);
  await page.keyboard.type('offline');
  await expect(page.getByText(/^6 of \d+ settings$/)).toBeVisible();
  await expect(line(page, 'Start offline').locator('mark').first()).toHaveText('offline');
  await expect(line(page, 'Theme')).toHaveCount(0);
  const categories = page.getByRole('navigation', { name: 'Categories of settings' });
  await expect(categories.getByRole('button', { name: 'Look' })).toBeDisabled();
  await expect(categories.locator('[aria-current]')).toHaveText(/Start and tabs/);
  await page.getByRole('textbox', { name: 'Search settings' }).fill('zzz');
  await expect(page.getByText('No setting found for “zzz”.')).toBeVisible();
  await page.getByRole('button', { name: 'Show all settings' }).click();
  await expect(line(page, 'Theme')).toBeVisible();
});

test('applies a change at once, marks it, resets it by its arrow, and undoes it', async ({ open }) => {
  const page = await open();
  await openSettings(page);
  const density = line(page, 'Row density');
  await density.getByRole('combobox').selectOption('Comfortable, 34 px');
  await expect(page.locator('html')).toHaveAttribute('data-density', 'comfortable');
  await expect(density).toContainText('changed from Default, 28 px');
  await expect(page.getByText('1 setting differs from the defaults')).toBeVisible();
  await page.getByRole('button', { name: 'Undo “Row density”' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-density', 'default');
  await line(page, 'Reopen tabs').getByRole('switch').click();
  expect(await lastSet(page)).toEqual({ restoresTabs: false });
  await page.getByRole('button', { name: 'Show only changed' }).click();
  await expect(page.getByRole('group', { name: /./ }).and(page.locator('[data-setting]'))).toHaveCount(1);
  await page.getByRole('button', { name: 'Default for Reopen tabs: on' }).click();
  await expect(page.getByText('No setting differs from its default.')).toBeVisible();
});

test('accepts a number in its unit, and explains an invalid one without sending it', async ({ open }) => {
  const page = await open();
  await openSettings(page);
  const age = line(page, 'Refresh age').getByRole('textbox');
  await age.fill('10');
  await age.press('Enter');
  await expect.poll(() => lastSet(page)).toEqual({ staleAfterMs: 600_000 });
  const rows = line(page, 'Rows per page').getByRole('textbox');
  await rows.fill('5');
  await rows.press('Enter');
  await expect(page.getByRole('alert')).toHaveText('Expected a whole number from 10 to 1,000 rows, got 5.');
  await expect(rows).toHaveAttribute('aria-invalid', 'true');
  expect(await lastSet(page)).toEqual({ staleAfterMs: 600_000 });
  await rows.press('Escape');
  await expect(rows).toHaveValue('500');
  await line(page, 'Maximum number of open tabs').getByRole('slider').press('End');
  await expect.poll(() => lastSet(page)).toEqual({ mostTabs: 100 });
});

test('accepts a number with the separators of its message, and drops an invalid text with the value it stood for', async ({
  open,
}) => {
  const page = await open();
  await openSettings(page);
  const rows = line(page, 'Rows per page').getByRole('textbox');
  await rows.fill('1,000');
  await rows.press('Enter');
  await expect.poll(() => lastSet(page)).toEqual({ pageRows: 1_000 });
  await rows.fill('5');
  await rows.press('Enter');
  await expect(page.getByRole('alert')).toHaveCount(1);
  await page.getByRole('button', { name: 'Default for Rows per page: 500 rows' }).click();
  await expect(rows).toHaveValue('500');
  await expect(rows).not.toHaveAttribute('aria-invalid');
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('a category is shown from its heading on', async ({ open }) => {
  const page = await open();
  await openSettings(page);
  await page.getByRole('button', { name: 'Storage and offline' }).click();
  const heading = page.getByRole('heading', { level: 2, name: 'Storage and offline' });
  const topOf = (target: Locator) => target.evaluate((element) => element.getBoundingClientRect().top);
  const list = page.locator('.list').filter({ has: heading });
  await expect.poll(async () => Math.abs((await topOf(heading)) - (await topOf(list)))).toBeLessThan(60);
});

test('moves by arrows, switches by Space, resets by Backspace, and searches by /', async ({ open }) => {
  const page = await open();
  await openSettings(page);
  await page.keyboard.press('ArrowDown');
  await expect(line(page, 'Theme')).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(line(page, 'Contrast')).toBeFocused();
  await page.getByRole('button', { name: 'Start and tabs' }).click();
  await expect(line(page, 'Reopen tabs')).toBeFocused();
  await page.keyboard.press('Space');
  await expect(line(page, 'Reopen tabs').getByRole('switch')).not.toBeChecked();
  await page.keyboard.press('Backspace');
  await expect(line(page, 'Reopen tabs').getByRole('switch')).toBeChecked();
  await page.keyboard.press('/');
  await expect(page.getByRole('textbox', { name: 'Search settings' })).toBeFocused();
});

test('updates all texts of the window at once with zone and formats', async ({ open }) => {
  const page = await open({ settings: { timeZone: 'Asia/Tokyo', numberFormat: 'point' } });
  await openSearch(page);
  await page.keyboard.type('refund');
  await expect(page.getByText(/^Searched the [\d.]+ of [\d.]+ records/)).toBeVisible();
});

test("shows a connection's own value beside the name", async ({ open }) => {
  const page = await open({ answerTimeoutS: 20 });
  await openSettings(page);
  await expect(line(page, 'Time-out of an answer')).toContainText('this connection: 20 s');
});

test('exports settings and shortcuts, imports them, explains an invalid file, and undoes an import', async ({
  open,
}) => {
  const page = await open({ settings: { pageRows: 200, shortcuts: { 'view.refresh': 'F5' } } });
  await openSettings(page);
  await page.getByRole('button', { name: 'Export without secrets…' }).click();
  await expect.poll(async () => (await callsOf(page, 'app:save-file')).length).toBe(1);
  const saved = (await callsOf(page, 'app:save-file'))[0]?.argument;
  const text = Buffer.from(String(saved?.['base64']), 'base64').toString('utf8');
  expect(JSON.parse(text)).toMatchObject({
    version: 1,
    settings: { pageRows: 200 },
    shortcuts: { 'view.refresh': 'F5' },
  });
  expect(text).not.toMatch(/token|connection|folder|http/i);
  const choose = page.getByLabel('Settings file to import');
  const file = (value: unknown) => ({
    name: 'mine.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(value)),
  });
  await choose.setInputFiles(file({ version: 1, settings: { pageRows: 7 } }));
  await expect(page.getByRole('alert')).toContainText(
    'pageRows: expected a whole number from 10 to 1,000 rows, got 7.',
  );
  await choose.setInputFiles(file({ version: 1, settings: { pageRows: 300, later: 1 } }));
  await expect.poll(() => lastSet(page)).toEqual({ pageRows: 300 });
  await expect(page.getByText('Unknown and left out: later.')).toBeVisible();
  await page.getByRole('button', { name: 'Undo “Import of mine.json”' }).click();
  await expect.poll(() => lastSet(page)).toEqual({ pageRows: 200 });
  // Shortcuts are imported together with the settings, and their import is undone with them.
  await choose.setInputFiles(file({ version: 1, settings: {}, shortcuts: { 'view.refresh': 'F6' } }));
  await expect.poll(() => lastSet(page)).toEqual({ shortcuts: { 'view.refresh': 'F6' } });
  await page.getByRole('button', { name: 'Undo “Import of mine.json”' }).click();
  await expect.poll(() => lastSet(page)).toEqual({ shortcuts: { 'view.refresh': 'F5' } });
});

test('opens the settings before the first connection, and returns', async ({ open }) => {
  const page = await open({ isFirstRun: true });
  await page.getByRole('button', { name: 'Settings' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Settings');
  await page.getByRole('textbox', { name: 'Search settings' }).fill('theme');
  await expect(page.getByText('Colours of the window.')).toBeVisible();
  await page.getByRole('button', { name: 'Welcome' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Spandeck');
  await page.keyboard.press('Control+,');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Settings');
});
