/** The palette searches stored content, and sends no requests to the service. */
import type { Page } from '@playwright/test';
import { openPlace, sidebar, sidebarLine } from '../helpers/places.ts';
import { callsOf, expect, test } from './fixtures.ts';

async function type(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'Search everything' });
  await expect(field).toBeFocused();
  await field.fill(text);
}

test('finds an entity of an application by name, and opens its values', async ({ open }) => {
  const page = await open();
  await type(page, 'gen_ai.user.count');
  const found = page
    .getByRole('option', { name: /^gen_ai\.user\.count entity of Support assistant/ })
    .first();
  await expect(found).toBeVisible();
  await found.click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('gen_ai.user.count');
  const calls = await callsOf(page, 'library:open-list');
  expect(calls.filter(({ argument }) => argument['isClick'] === true)).toEqual([]);
  const opened = async () =>
    (await callsOf(page, 'library:open-list')).map(
      ({ argument }) => (argument['query'] as { operation: string }).operation,
    );
  await expect.poll(async () => (await opened()).toSorted()).toEqual(['applications.list', 'catalog.values']);
});

test('receives letters typed right after its shortcut before a frame is drawn', async ({ open }) => {
  const page = await open();
  await page.evaluate(() => {
    window.requestAnimationFrame = () => 0;
  });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('theme');
  await expect(page.getByRole('combobox', { name: 'Search everything' })).toHaveValue('theme');
});

/** Presses keys on the focused element within one task, so that no frame is drawn in between. */
const pressAtOnce = (page: Page, keys: readonly { key: string; code: string; ctrlKey?: boolean }[]) =>
  page.evaluate(async (pressed) => {
    for (const each of pressed) {
      const event = new KeyboardEvent('keydown', { ...each, bubbles: true, cancelable: true });
      (document.activeElement ?? document.body).dispatchEvent(event);
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    }
  }, keys);

test('opens again by its shortcut in the frame in which Escape closed it', async ({ open }) => {
  const page = await open();
  await type(page, 'theme');
  await expect(page.getByRole('option').first()).toBeVisible();
  await pressAtOnce(page, [
    { key: 'Escape', code: 'Escape' },
    { key: 'k', code: 'KeyK', ctrlKey: true },
  ]);
  const field = page.getByRole('combobox', { name: 'Search everything' });
  await expect(field).toBeFocused();
  await expect(field).toHaveValue('');
});

test('finds records of resources by name', async ({ open }) => {
  const page = await open();
  await type(page, 'refund');
  // Entries that were found only by their names are replaced by the ones that the index finds.
  const stored = page.getByRole('group', { name: 'Stored here' });
  await stored.getByRole('option', { name: /Refund questions dataset/ }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Refund questions');
});

test('reports that nothing matches, and searches for a single letter with one index query', async ({
  open,
}) => {
  const page = await open();
  await type(page, 'zzzz-nothing');
  await expect(page.getByText('No match for “zzzz-nothing”.')).toBeVisible();
  await page.keyboard.press('Escape');
  const before = (await callsOf(page, 'library:search')).length;
  await type(page, 'g');
  await expect(page.getByRole('group', { name: 'Stored here' }).getByRole('option').first()).toBeVisible();
  const asked = (await callsOf(page, 'library:search')).slice(before);
  expect(asked.map(({ argument }) => argument['typed'])).toEqual(['g']);
});

test('lists commands before stored content, and opens all results in a tab', async ({ open }) => {
  const page = await open();
  await type(page, 'refund');
  await page.getByRole('option', { name: /^All results for “refund”/ }).click();
  await expect(page.getByRole('combobox', { name: 'Text to find' })).toHaveValue('refund');
  await type(page, 's');
  const groups = page.getByRole('dialog').getByRole('listbox', { name: 'Found' }).getByRole('group');
  await expect(page.getByRole('group', { name: 'Stored here' })).toBeVisible();
  await expect(groups.first()).toHaveAttribute('aria-label', 'Commands');
});

test('lists recent choices and records, other open tabs, commands and stored records before anything is typed', async ({
  open,
}) => {
  const page = await open();
  const expectGroups = async (titles: string[]) => {
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('option', { name: /Claims triage/ })).toBeAttached();
    const found = page.getByRole('listbox', { name: 'Found' }).getByRole('group');
    const shown = () => found.evaluateAll((groups) => groups.map(({ ariaLabel }) => ariaLabel));
    await expect.poll(shown).toEqual(titles);
  };
  await expectGroups(['Commands', 'Records']);
  await expect(page.getByRole('option').first()).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.type('theme');
  await expect(page.getByRole('option').first()).toHaveText(/Switch light and dark/);
  await page.keyboard.press('Enter');
  await expectGroups(['Recent', 'Commands', 'Records']);
  const recent = page.getByRole('group', { name: 'Recent' }).getByRole('option');
  await expect(recent).toHaveText(/Switch light/);
  await page.getByRole('option', { name: /^Refund questions/ }).click();
  await page.keyboard.press('Control+w');
  await openPlace(page, 'Spans');
  await expectGroups(['Recent', 'Open tabs', 'Commands', 'Records']);
  await expect(recent.last()).toHaveText(/^Refund questions\s*opened before/);
  await recent.last().click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Refund questions');
});

for (const way of ['the palette', 'its key'] as const) {
  test(`“Go to” by ${way} moves the focus into the list: arrows and / work at once`, async ({ open }) => {
    const page = await open();
    await sidebarLine(page, 'Charts').focus();
    if (way === 'its key') await page.keyboard.press('Control+4');
    else {
      await type(page, 'go to datasets');
      await page.keyboard.press('Enter');
    }
    const grid = page.getByRole('grid', { name: 'Datasets' });
    await expect(grid).toBeFocused();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await expect(grid.locator('[aria-selected=true][aria-rowindex]')).toBeVisible();
    await page.keyboard.press('/');
    await expect(page.getByPlaceholder('Filter rows')).toBeFocused();
  });
}

for (const [before, typed] of [
  ['gen_ai', 'Refund questions'],
  ['', 'gen_ai.user.count'],
] as const)
  test(`Enter right after typing opens a record of “${typed}”, not of “${before}” before it`, async ({
    open,
  }) => {
    const page = await open();
    await type(page, before);
    const stored = page.getByRole('group', { name: before === '' ? 'Records' : 'Stored here' });
    await expect(stored.getByRole('option').first()).toBeVisible();
    // Both keys are pressed before the answer to the new text arrives.
    await page.getByRole('combobox', { name: 'Search everything' }).evaluate((field, text) => {
      if (!(field instanceof HTMLInputElement)) return;
      field.value = text;
      field.dispatchEvent(new InputEvent('input', { bubbles: true }));
      field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
    }, typed);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(typed);
    await expect(page.getByRole('combobox', { name: 'Search everything' })).toHaveCount(0);
  });

test('a command runs at once, without the answer of the search; another choice waits until the text changes', async ({
  open,
}) => {
  const page = await open({ search: 'slow' });
  await type(page, 'gen_ai.user.count');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('option', { name: /^Search spans for/ })).toBeVisible();
  await page.getByRole('combobox', { name: 'Search everything' }).fill('go to datasets');
  await expect(page.getByRole('option').first()).toHaveText(/^Go to datasets/);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('grid', { name: 'Datasets' })).toBeFocused();
});

test('returns the focus after a palette command that opens nothing', async ({ open }) => {
  const page = await open();
  const button = sidebarLine(page, 'Charts');
  await button.focus();
  await type(page, 'theme');
  await page.keyboard.press('Enter');
  await expect(button).toBeFocused();
});

test('opens the sidebar lines in order by Ctrl and a digit', async ({ open }) => {
  const page = await open();
  const lines = sidebar(page).getByRole('button');
  await expect(lines.first()).toBeVisible();
  const titles = await Promise.all((await lines.all()).map((line) => line.getAttribute('title')));
  expect(titles.slice(0, 9).map((title) => /\((.*)\)$/.exec(title ?? '')?.[1])).toEqual(
    [1, 2, 3, 4, 5, 6, 7, 8, 9].map((digit) => `Ctrl+${digit}`),
  );
});
