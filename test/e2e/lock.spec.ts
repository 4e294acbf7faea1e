/**
 * The lock of the window in the running app: the main process answers nothing, and unsent input is restored afterwards.
 */
import { WelcomePage, Workbench } from '../helpers/pages.ts';
import { openPlace } from '../helpers/places.ts';
import { expect, test } from '../helpers/product.ts';

const PASSPHRASE = 'a lock for the tests';

test('knows nothing while locked, restores tabs and unsent forms when opened, and is locked after a restart', async ({
  launch,
}) => {
  const { app, page, close } = await launch();
  await new WelcomePage(page).enterSample();
  const bench = new Workbench(page);
  await page.keyboard.press('Control+Shift+L');
  const dialog = page.getByRole('dialog', { name: 'App lock' });
  await dialog.getByLabel('New passphrase').fill(PASSPHRASE);
  await dialog.getByLabel('Repeat passphrase').fill(PASSPHRASE);
  await dialog.getByRole('button', { name: 'Set the lock' }).click();
  await expect(dialog).toBeHidden();
  await openPlace(page, 'Baselines');
  await bench.view.getByRole('button', { name: 'New baseline' }).first().click();
  await bench.view.getByRole('textbox', { name: 'Name' }).fill('typed right before');
  await page.keyboard.press('Control+Shift+L');

  const lock = page.getByRole('form', { name: 'Lock' });
  await expect(lock.getByLabel('Passphrase')).toBeFocused();
  await expect(page.getByText('typed right before')).toHaveCount(0);
  // Requests by other code in the page are rejected as well.
  const refused = await page.evaluate(() =>
    Promise.all([
      window.spandeck?.invoke('connections:list', undefined),
      window.spandeck?.invoke('settings:get', undefined),
    ]),
  );
  expect(refused).toEqual([
    { ok: false, error: expect.objectContaining({ code: 'LOCKED' }) },
    { ok: false, error: expect.objectContaining({ code: 'LOCKED' }) },
  ]);
  await lock.getByLabel('Passphrase').fill(PASSPHRASE);
  await page.keyboard.press('Enter');
  await expect(bench.view.getByRole('textbox', { name: 'Name' })).toHaveValue('typed right before');
  await test.step('locks itself when the screen is locked, and keeps a link that is opened meanwhile', async () => {
    await app.evaluate(({ app: main, BrowserWindow, powerMonitor }) => {
      const [window] = BrowserWindow.getAllWindows();
      window?.webContents.once('did-navigate', () => {
        main.emit('second-instance', {}, ['spandeck', 'spandeck://my-jobs'], '/');
      });
      powerMonitor.emit('lock-screen');
    });
    await expect(lock.getByLabel('Passphrase')).toBeFocused();
    await lock.getByLabel('Passphrase').fill(PASSPHRASE);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('tab', { name: 'Jobs' })).toBeVisible();
    await page.getByRole('tab', { name: 'New baseline' }).click();
    await expect(bench.view.getByRole('textbox', { name: 'Name' })).toHaveValue('typed right before');
  });
  await close();

  const again = await launch();
  const second = again.page.getByRole('form', { name: 'Lock' });
  await second.getByLabel('Passphrase').fill('something else');
  await again.page.keyboard.press('Enter');
  await expect(second).toContainText('Wrong passphrase. Try again.');
  await second.getByLabel('Passphrase').fill(PASSPHRASE);
  await again.page.keyboard.press('Enter');
  await expect(new Workbench(again.page).view.getByRole('textbox', { name: 'Name' })).toHaveValue(
    'typed right before',
  );
});
