/** Unsent input in the running app is kept however the app ends, even if the user clicks right after connecting. */
import { findInFiles } from '../helpers/find-text.ts';
import { ConnectionPage, WelcomePage, Workbench } from '../helpers/pages.ts';
import { openPlace, openPlaceToStay } from '../helpers/places.ts';
import { expect, test } from '../helpers/product.ts';

test('restores recently changed tabs and a half-filled form after closing the window, and offers a closed one', async ({
  launch,
  service,
}) => {
  const first = await launch();
  await new WelcomePage(first.page).connect.click();
  await new ConnectionPage(first.page).connectTo(service);
  const bench = new Workbench(first.page);
  // At once, while the tabs may still be loading.
  await openPlace(first.page, 'Baselines');
  await expect(bench.heading).toHaveText('Baselines');
  await bench.view.getByRole('button', { name: 'New baseline' }).first().click();
  await bench.view.getByRole('textbox', { name: 'Name' }).fill('left open');
  await openPlace(first.page, 'Datasets');
  // The button moves when the list arrives.
  await bench.expectAge(/live/);
  await bench.view.getByRole('button', { name: 'New dataset' }).first().click();
  await bench.view.getByRole('textbox', { name: 'Name' }).fill('closed with its tab');
  await first.page.keyboard.press('Control+w');
  await expect(first.page.getByText('Draft of “New dataset” saved')).toBeVisible();
  // Two changes in quick succession. Only the first is written at once.
  await openPlaceToStay(first.page, 'Attributes');
  await openPlace(first.page, 'Alert rules');
  const ended = first.app.waitForEvent('close');
  await first.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
  await ended;

  const { page } = await launch();
  const again = new Workbench(page);
  await expect(again.heading).toHaveText('Alert rules');
  await expect(again.tab('Attributes')).toBeVisible();
  await expect(again.tab('Alert rules')).toHaveAttribute('aria-selected', 'true');
  await page.getByRole('tab', { name: 'New baseline (unsaved input)' }).click();
  await expect(again.view.getByRole('textbox', { name: 'Name' })).toHaveValue('left open');
  await expect(again.view.getByText('Draft from')).toBeVisible();
  await openPlace(page, 'Datasets');
  await again.view.getByRole('button', { name: 'New dataset' }).first().click();
  await again.view.getByRole('button', { name: 'Open draft' }).click();
  await expect(again.view.getByRole('textbox', { name: 'Name' })).toHaveValue('closed with its tab');
  await again.view.getByRole('button', { name: 'Discard', exact: true }).click();
  await expect(again.view.getByRole('textbox', { name: 'Name' })).toHaveValue('');
  await expect(page.getByRole('tab', { name: 'New dataset', exact: true })).toBeVisible();
});

test('restores the form of the first connection after a quit, without the token', async ({
  launch,
  service,
}) => {
  const first = await launch();
  await new WelcomePage(first.page).connect.click();
  const form = new ConnectionPage(first.page);
  await form.fill({ name: 'Half filled', baseUrl: service.baseUrl, token: service.token });
  await first.close();
  expect(findInFiles(first.dataDir, [service.token])).toEqual([]);

  const { page } = await launch();
  await new WelcomePage(page).connect.click();
  const again = new ConnectionPage(page);
  await expect(again.name).toHaveValue('Half filled');
  await expect(again.baseUrl).toHaveValue(service.baseUrl);
  await expect(again.token).toHaveValue('');
  await expect(again.form.getByText('The form does not keep a typed token')).toBeVisible();
  await again.token.fill(service.token);
  await again.connect.click();
  const bench = new Workbench(page);
  await bench.leaveStart();
  await expect(bench.row('Applications', 'Support assistant')).toBeVisible();
});
