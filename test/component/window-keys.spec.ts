/** Keys that work anywhere in the window, and the focus in a view that the user opens to type in it. */
import { openPlace } from '../helpers/places.ts';
import { callsOf, expect, test } from './fixtures.ts';
import { decided, openReview, openSpans } from './span-steps.ts';

test('leads by / from any control of a view to its box for finding rows', async ({ open }) => {
  const page = await open();
  await openSpans(page);
  await page.getByRole('main').getByRole('button', { name: /^llm/ }).first().click();
  await page.keyboard.press('/');
  const box = page.getByLabel('Filter the loaded spans');
  await expect(box).toBeFocused();
  await page.keyboard.type('refund d/');
  await expect(box).toHaveValue('refund d/');
  // Typed letters do not trigger actions on records.
  expect(await callsOf(page, 'build:act')).toEqual([]);
});

test('gives letters to the record only where the focus is at the record, not at another control', async ({
  open,
}) => {
  const page = await open({ hasSentBuild: true });
  const grid = await openSpans(page);
  const acts = () => callsOf(page, 'jobs:change');
  await grid.press('ArrowDown');
  const main = page.getByRole('main');
  const others = [
    main.getByRole('button', { name: /^llm/ }).first(),
    main.getByRole('tab', { name: 'Traces' }),
    main.getByRole('button', { name: 'Reading pane' }),
  ];
  for (const other of others) {
    await other.focus();
    await page.keyboard.press('d');
    await page.keyboard.press('b');
  }
  expect(await acts()).toEqual([]);
  await expect(page.getByRole('menu')).toHaveCount(0);
  await grid.press('d');
  await expect.poll(async () => (await acts()).length).toBeGreaterThan(0);
});

test('selects a text by Ctrl+A where one has the focus, and never the whole window', async ({ open }) => {
  const page = await open();
  await openSpans(page);
  const selected = () => page.evaluate(() => getSelection()?.toString() ?? '');
  await page.getByRole('button', { name: 'Reading pane' }).click();
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'Spans' }).focus();
  await page.keyboard.press('Control+a');
  expect(await selected()).toBe('');
  await page.getByRole('region', { name: 'Record' }).focus();
  await page.keyboard.press('Control+a');
  expect(await selected()).toContain('Where is my refund');
  expect(await selected()).not.toContain('Catalog');
});

test('puts the cursor into the SQL when its view is opened from the sidebar', async ({ open }) => {
  const page = await open();
  await openPlace(page, 'SQL');
  await expect(page.getByRole('textbox', { name: /SQL/ })).toBeFocused();
});

test('shows the requests without scrolling sideways, 1000 pixels wide', async ({ open }) => {
  const page = await open();
  await page.setViewportSize({ width: 1_000, height: 640 });
  await openPlace(page, 'Requests');
  const grid = page.getByRole('grid', { name: 'Requests' });
  await expect(grid.getByRole('gridcell').first()).toBeVisible();
  await expect(grid.getByRole('columnheader', { name: 'Attempts' })).toBeInViewport({ ratio: 1 });
  expect(await grid.evaluate((box) => box.scrollWidth - box.clientWidth)).toBeLessThanOrEqual(0);
});

test('moves the focus into the view that opens after a record was created', async ({ open }) => {
  const page = await open();
  await openPlace(page, 'Projects');
  await page.getByRole('main').getByRole('button', { name: 'New project' }).click();
  const form = page.getByRole('form', { name: 'New project' });
  await form.getByRole('textbox', { name: 'Name' }).fill('Spring');
  await form.getByRole('button', { name: 'Create project' }).click();
  await expect(form).toBeHidden();
  const isInView = () => page.evaluate(() => document.activeElement?.closest('main') !== null);
  await expect.poll(isInView).toBe(true);
});

test('keeps the focus on a button that becomes disabled, so that the keys still work', async ({ open }) => {
  const page = await open();
  const review = await openReview(page);
  await page.keyboard.press('a');
  await expect(decided(page)).toHaveAttribute('aria-valuenow', '1');
  const undo = review.getByRole('button', { name: /^Undo/ });
  await undo.click();
  await expect(decided(page)).toHaveAttribute('aria-valuenow', '0');
  await expect(undo).toBeDisabled();
  await expect(undo).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.press('a');
  await expect(decided(page)).toHaveAttribute('aria-valuenow', '1');
  await expect(undo).toBeEnabled();
});
