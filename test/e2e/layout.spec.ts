/** The window keeps its state when the application quits. `drafts` tests the same when the window is closed. */
import { WelcomePage, Workbench } from '../helpers/pages.ts';
import { openPlace, openPlaceToStay } from '../helpers/places.ts';
import { expect, test } from '../helpers/product.ts';

test('restores recently changed tabs, a grid position, a half-filled form and settings after a quit', async ({
  launch,
}) => {
  // Here the application creates the workspace itself.
  const first = await launch({ hasSampleFile: false });
  const bench = new Workbench(first.page);
  await new WelcomePage(first.page).enterSample();
  await test.step('settings take effect immediately', async () => {
    const row = bench.row('Applications', 'Support assistant');
    await expect(row).toBeVisible();
    const heightOf = async () => (await row.boundingBox())?.height;
    await expect.poll(heightOf).toBe(28);
    await first.page.keyboard.press('Control+,');
    await expect(bench.heading).toHaveText('Settings');
    const setting = (name: string) => bench.view.getByRole('group', { name, exact: true });
    await setting('Row density').getByRole('combobox').selectOption('Comfortable, 34 px');
    const zone = setting('Time zone').getByRole('combobox');
    await zone.fill('Asia/Tokyo');
    await zone.press('Enter');
    await expect(setting('Time zone')).toContainText('changed from as the system');
    await bench.tab('Catalog').click();
    await expect.poll(heightOf).toBe(34);
  });
  await openPlace(first.page, 'Uploads');
  await bench.view.getByRole('button', { name: 'Delete events…' }).click();
  await bench.view.getByRole('textbox', { name: 'Event ids' }).fill('a1, a2');
  await bench.tab('Catalog').click();
  await bench.row('Applications', 'Support assistant').dblclick();
  await expect(bench.rowAt(/^Entities/, 1)).toBeVisible();
  // All rows must be known, as keys move only to known rows.
  await bench.expectAge(/live/);
  await bench.grid(/^Entities/).focus();
  for (let page = 0; page < 5; page += 1) await first.page.keyboard.press('PageDown');
  const selected = bench.grid(/^Entities/).locator('[aria-selected=true][aria-rowindex]');
  const row = await selected.getAttribute('aria-rowindex');
  expect(Number(row)).toBeGreaterThan(50);
  await first.page.keyboard.press('Control+4');
  await expect(bench.heading).toHaveText('Datasets');
  await bench.tab('Support assistant').click();
  await expect(selected).toHaveAttribute('aria-rowindex', String(row));
  await expect(selected).toBeInViewport();
  // Two changes in quick succession. Only the first is written at once.
  await openPlaceToStay(first.page, 'Datasets');
  await openPlace(first.page, 'Alert rules');
  await first.close();

  const { page } = await launch();
  const again = new Workbench(page);
  await expect(again.heading).toHaveText('Alert rules');
  await expect(again.tab('Datasets')).toBeVisible();
  await expect(again.tab('Alert rules')).toHaveAttribute('aria-selected', 'true');
  await again.tab('Support assistant').click();
  const same = again.grid(/^Entities/).locator('[aria-selected=true][aria-rowindex]');
  await expect(same).toHaveAttribute('aria-rowindex', String(row));
  await expect(same).toBeInViewport();
  await expect.poll(async () => (await same.boundingBox())?.height).toBe(34);
  await again.age.click();
  await expect(page.getByText(/GMT\+9/).first()).toBeVisible();
  await page.keyboard.press('Escape');
  await page.getByRole('tab', { name: /\(unsaved input\)$/ }).click();
  await expect(again.view.getByRole('textbox', { name: 'Event ids' })).toHaveValue('a1, a2');
});
