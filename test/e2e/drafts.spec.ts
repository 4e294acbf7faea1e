/** What is typed and not sent, in the running app: a quit loses nothing, and no click after connecting does either. */
import { findInFiles } from '../helpers/find-text.ts';
import { Sections } from '../helpers/look.ts';
import { ConnectionPage, WelcomePage, Workbench } from '../helpers/pages.ts';
import { expect, test } from '../helpers/product.ts';

test('a half-filled form comes back after a quit, and one that was closed is offered', async ({
  launch,
  service,
}) => {
  const first = await launch();
  await new WelcomePage(first.page).connect.click();
  await new ConnectionPage(first.page).connectTo(service);
  const bench = new Workbench(first.page);
  // At once: its tabs may still be on their way.
  await new Sections(first.page).open('Baselines');
  await expect(bench.heading).toHaveText('Baselines');
  await bench.view.getByRole('button', { name: 'New baseline' }).first().click();
  await bench.view.getByRole('textbox', { name: 'Name' }).fill('left open');
  await new Sections(first.page).open('Datasets');
  // The button moves as the list arrives.
  await bench.expectAge(/live/);
  await bench.view.getByRole('button', { name: 'New dataset' }).first().click();
  await bench.view.getByRole('textbox', { name: 'Name' }).fill('closed with its tab');
  await first.page.keyboard.press('Control+w');
  await expect(first.page.getByText('Draft of “New dataset” saved')).toBeVisible();
  await first.close();

  const { page } = await launch();
  const again = new Workbench(page);
  await page.getByRole('tab', { name: 'New baseline (unsaved input)' }).click();
  await expect(again.view.getByRole('textbox', { name: 'Name' })).toHaveValue('left open');
  await expect(again.view.getByText('Draft from')).toBeVisible();
  await new Sections(page).open('Datasets');
  await again.view.getByRole('button', { name: 'New dataset' }).first().click();
  await again.view.getByRole('button', { name: 'Open draft' }).click();
  await expect(again.view.getByRole('textbox', { name: 'Name' })).toHaveValue('closed with its tab');
  await again.view.getByRole('button', { name: 'Discard', exact: true }).click();
  await expect(again.view.getByRole('textbox', { name: 'Name' })).toHaveValue('');
  await expect(page.getByRole('tab', { name: 'New dataset', exact: true })).toBeVisible();
});

test('the form of the first connection comes back after a quit, without the token', async ({
  launch,
  service,
}) => {
  const first = await launch();
  await new WelcomePage(first.page).connect.click();
  const form = new ConnectionPage(first.page);
  await form.fill({ name: 'Half filled', baseUrl: service.baseUrl, token: service.token });
  await first.close();
  expect(findInFiles(first.dataDir, [service.token])).toEqual([]);

  const second = await launch();
  const { page } = second;
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

  await new Sections(page).open('Uploads');
  await bench.view.getByRole('button', { name: 'Delete events…' }).click();
  await bench.view.getByRole('textbox', { name: 'Event ids' }).fill('a1, a2');
  await second.close();
  const third = new Workbench((await launch()).page);
  await expect(third.view.getByRole('textbox', { name: 'Event ids' })).toHaveValue('a1, a2');
});
