/** The lock of the window: nothing is shown or requested while it is locked. */
import { callsOf, expect, test } from './fixtures.ts';

test('shows only the lock of a locked window, and opens it with the passphrase', async ({ open }) => {
  const page = await open({ lock: 'locked' });
  const form = page.getByRole('form', { name: 'Lock' });
  const field = form.getByLabel('Passphrase');
  await expect(field).toBeFocused();
  await expect(page.getByRole('main')).toHaveCount(1);
  expect(await callsOf(page, 'connections:list')).toEqual([]);
  // No shortcut reaches the content behind the lock.
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await field.fill('1111');
  await page.keyboard.press('Enter');
  await expect(form).toContainText('Wrong passphrase. Try again.');
  await expect(field).toHaveValue('');
  await expect(field).toBeFocused();
  await form.getByRole('button', { name: 'Touch ID' }).click();
  await expect(form).toContainText('The system did not confirm who you are.');
  await field.fill('2468');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('grid', { name: 'Applications' })).toBeVisible();
});

test('explains what to do about an unreadable lock file, and stays locked', async ({ open }) => {
  const page = await open({ lock: 'damaged' });
  await expect(page.getByRole('alert')).toContainText('lock.json. Quit, remove it, and set the lock again.');
  await expect(page.getByLabel('Passphrase')).toHaveCount(0);
});

test('sets, changes and removes the lock, and asks for a passphrase on Lock if none is set', async ({
  open,
}) => {
  const page = await open();
  await page.keyboard.press('Control+Shift+L');
  const dialog = page.getByRole('dialog', { name: 'App lock' });
  await expect(dialog.getByLabel('New passphrase')).toBeFocused();
  await page.keyboard.type('246');
  await expect(dialog).toContainText('Expected at least 4 characters.');
  await dialog.getByLabel('New passphrase').fill('2468');
  await dialog.getByLabel('Repeat passphrase').fill('2469');
  await expect(dialog).toContainText('This is not the same.');
  await expect(dialog.getByRole('button', { name: 'Set the lock' })).toBeDisabled();
  // Closing the dialog discards the typed text.
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await page.keyboard.press('Control+Shift+L');
  await expect(dialog.getByLabel('New passphrase')).toHaveValue('');
  await dialog.getByLabel('New passphrase').fill('2468');
  await dialog.getByLabel('Repeat passphrase').fill('2468');
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  expect(await page.content()).not.toContain('2468');

  await page.keyboard.press('Control+Shift+L');
  await expect
    .poll(() => callsOf(page, 'lock:act'))
    .toContainEqual({ channel: 'lock:act', argument: { action: 'lock' } });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('Set app lock');
  await page.keyboard.press('Enter');
  await expect(dialog.getByLabel('Current passphrase')).toBeFocused();
  await page.keyboard.type('1111');
  await dialog.getByRole('button', { name: 'Remove the lock' }).click();
  await expect(dialog).toContainText('Wrong passphrase. Try again.');
  await dialog.getByLabel('Current passphrase').fill('2468');
  await dialog.getByRole('button', { name: 'Remove the lock' }).click();
  await expect(dialog).toBeHidden();
});
