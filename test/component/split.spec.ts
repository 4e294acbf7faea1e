/** Two tabs side by side, and tab groups. */

import { openPlace, openPlaceToStay, sidebarLine } from '../helpers/places.ts';
import { violations } from './accessibility.ts';
import { expect, test } from './fixtures.ts';

test('moves a tab to the right and back by keys, with separate tabs per side and keys for the active side', async ({
  open,
}) => {
  const page = await open();
  const [left, right] = [page.getByRole('main'), page.locator('[data-view]:not(main)')];
  await openPlace(page, 'Datasets');
  await page.keyboard.press('Control+Backslash');
  await expect(left).toHaveAccessibleName('Catalog');
  await expect(right).toHaveAccessibleName('Datasets');
  const datasets = page.getByRole('grid', { name: 'Datasets' });
  await expect(datasets).toBeFocused();
  await expect(page.getByRole('tablist', { name: 'Open tabs at the right' }).getByRole('tab')).toHaveText([
    'Datasets',
  ]);
  await datasets.getByRole('row', { name: /^Refund questions/ }).click();
  await page.keyboard.press('Control+Enter');
  await expect(left).toHaveAccessibleName('Refund questions');
  expect(await violations(page)).toEqual([]);

  await page.keyboard.press('Control+Shift+Backslash');
  await expect(datasets).toBeFocused();
  await page.keyboard.press('Control+w');
  await expect(right).toHaveCount(0);
  await expect(left).toHaveAccessibleName('Refund questions');

  await sidebarLine(page, 'Charts').click({ modifiers: ['Control'] });
  await expect(right).toHaveAccessibleName(/ board$/);
  const edge = page.getByRole('separator', { name: 'Width of the left side' });
  const wide = async () => Number(await edge.getAttribute('aria-valuenow'));
  const before = await wide();
  await edge.press('Shift+ArrowLeft');
  await expect.poll(wide).toBe(before - 48);
  await page.keyboard.press('Control+Shift+j');
  await expect(right).toHaveCount(0);
  await expect(left).toHaveAccessibleName(/ board$/);

  await page.keyboard.press('Control+k');
  await page.keyboard.type('refund');
  await expect(page.getByRole('option', { name: /^Refund questions/ }).first()).toHaveAttribute(
    'aria-selected',
    'true',
  );
  await page.keyboard.press('Control+Enter');
  await expect(right).toHaveAccessibleName('Refund questions');
});

test('groups tabs by their menu, collapses a group at its head, and drags it to the other side', async ({
  open,
}) => {
  const page = await open();
  const strip = page.getByRole('tablist', { name: 'Open tabs', exact: true });
  for (const name of ['Datasets', 'Requests', 'Charts']) await openPlaceToStay(page, name);
  await strip.getByRole('tab', { name: 'Datasets' }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'New group…' }).click();
  const dialog = page.getByRole('dialog', { name: 'New group of tabs' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Refunds');
  await dialog.getByRole('radio', { name: 'pink' }).check();
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Make the group' }).click();
  await strip.getByRole('tab', { name: 'Charts' }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Add to “Refunds”' }).click();
  await expect(strip.getByRole('tab')).toHaveText(['Catalog', 'Datasets', 'Charts', 'Requests']);
  const head = page.getByRole('button', { name: 'Group Refunds 2 tabs' });
  await head.click();
  await expect(head).toHaveAttribute('aria-expanded', 'false');
  await expect(strip.getByRole('tab')).toHaveText(['Catalog', 'Charts', 'Requests']);
  expect(await violations(page)).toEqual([]);

  await page.keyboard.press('Control+Backslash');
  const right = page.getByRole('tablist', { name: 'Open tabs at the right' });
  await expect(right.getByRole('tab')).toHaveText(['Charts']);
  await strip.getByRole('tab', { name: 'Requests' }).dragTo(right.getByRole('tab'), {
    targetPosition: { x: 4, y: 10 },
  });
  await expect(right.getByRole('tab')).toHaveText(['Requests', 'Charts']);
});

test('creates a second side by dropping a tab on the right half of the view', async ({ open }) => {
  const page = await open();
  await openPlace(page, 'Requests');
  const view = page.getByRole('main');
  const { width, height } = (await view.boundingBox()) ?? { width: 0, height: 0 };
  const tab = page.getByRole('tab', { name: 'Catalog' });
  await tab.dragTo(view, { targetPosition: { x: width / 4, y: height / 2 } });
  await expect(page.getByRole('tablist')).toHaveCount(1);
  await tab.dragTo(view, { targetPosition: { x: (width * 3) / 4, y: height / 2 } });
  await expect(page.getByRole('tablist', { name: 'Open tabs at the right' }).getByRole('tab')).toHaveText([
    'Catalog',
  ]);
  await expect(view).toHaveAccessibleName('Requests');
});

test('uses unique element ids and region names in two views of the same kind', async ({ open }) => {
  const page = await open();
  await openPlace(page, 'Datasets');
  const datasets = page.getByRole('grid', { name: 'Datasets' });
  for (const name of ['Refund questions', 'Smoke set']) {
    await datasets.getByRole('row', { name: new RegExp(`^${name}`) }).click();
    await page.keyboard.press('Enter');
    await page
      .getByRole('main')
      .getByRole('tab', { name: /^Scores/ })
      .click();
    await page.getByRole('main').getByRole('button', { name: 'Score items…' }).first().click();
    await expect(page.getByRole('main').getByRole('heading', { name: 'Score items' })).toBeVisible();
    if (name === 'Refund questions') {
      await page.keyboard.press('Control+Backslash');
      await page.getByRole('tablist').first().getByRole('tab', { name: 'Datasets' }).click();
    }
  }
  await expect(page.getByRole('heading', { name: 'Score items' })).toHaveCount(2);
  await expect(page.getByRole('region', { name: 'Score items right side' })).toBeVisible();
  const sides = page.locator('[data-view]');
  for (const part of [null, 'Versions', 'Coverage', 'Schema']) {
    for (const side of part === null ? [] : await sides.all())
      await side.getByRole('tab', { name: new RegExp(`^${part}`) }).click();
    const ids = await page.evaluate(() => [...document.querySelectorAll('[id]')].map(({ id }) => id));
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    expect(await violations(page, { rules: ['landmark-unique'] })).toEqual([]);
  }
});
