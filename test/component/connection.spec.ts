/** Connecting: the token leaves the field once and stays nowhere in the window. */
import { callsOf, expect, test } from './fixtures.ts';

const TOKEN = 'tok-3f9c1d7a5b2e4860-Zq8';

test('first run offers two ways in', async ({ open }) => {
  const page = await open({ isFirstRun: true });
  await page.getByRole('button', { name: /Open sample workspace/ }).click();
  await expect(page.getByRole('button', { name: 'Connection: Sample workspace' })).toBeVisible();
  await expect(page.getByRole('grid', { name: 'Applications' })).toBeVisible();
});

test('a new connection: problems in place, test, connect; then no trace of the token', async ({ open }) => {
  const page = await open({ isFirstRun: true });
  await page.getByRole('button', { name: /Connect to a service/ }).click();
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await expect(page.getByText('The service answers nothing without a token.')).toBeVisible();
  expect(await callsOf(page, 'connections:save')).toHaveLength(0);

  await page.getByRole('textbox', { name: 'Name' }).fill('Staging');
  await page.getByRole('textbox', { name: 'Base URL' }).fill('https://staging.example.com');
  const token = page.getByLabel('Access token');
  await expect(token).toHaveAttribute('type', 'password');
  await token.fill(TOKEN);
  await page.getByRole('button', { name: 'Test connection' }).click();
  await expect(page.getByRole('status', { name: 'Result of the test' })).toContainText('Connected');
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Connection: Staging' })).toBeVisible();
  const [saved] = await callsOf(page, 'connections:save');
  expect(saved?.argument['token']).toBe(TOKEN);

  await page.getByRole('button', { name: 'Connection: Staging' }).click();
  await page.getByRole('menuitem', { name: 'Edit this connection…' }).click();
  await expect(page.getByText('••••-Zq8')).toBeVisible();
  expect(await page.content()).not.toContain(TOKEN);
});

test('a refused test says what was answered and what to do next', async ({ open }) => {
  const page = await open({ isFirstRun: true, test: 'refused' });
  await page.getByRole('button', { name: /Connect to a service/ }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Staging');
  await page.getByRole('textbox', { name: 'Base URL' }).fill('https://staging.example.com');
  await page.getByLabel('Access token').fill(TOKEN);
  await page.getByRole('button', { name: 'Test connection' }).click();
  const result = page.getByRole('alert', { name: 'Result of the test' });
  await expect(result).toContainText('Token not accepted');
  await expect(result).toContainText('Next: Copy the token again');
});

test('without a keychain it is said before saving, and the session is the choice', async ({ open }) => {
  const page = await open({ isFirstRun: true, hasKeychain: false });
  await page.getByRole('button', { name: /Connect to a service/ }).click();
  await expect(page.getByText('No Secret Service answers on this desktop.')).toBeVisible();
  await expect(page.getByRole('radio', { name: /In the keychain/ })).toBeDisabled();
  await expect(page.getByRole('radio', { name: /This session only/ })).toBeChecked();
});

test('a stored token is replaced, never shown', async ({ open }) => {
  const page = await open();
  await page.getByRole('button', { name: 'Connection: Production' }).click();
  await page.getByRole('menuitem', { name: 'Edit this connection…' }).click();
  await expect(page.getByText('••••x7Qa')).toBeVisible();
  await page.getByRole('button', { name: 'Replace token' }).click();
  await page.getByLabel('New access token').fill(TOKEN);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('••••-Zq8')).toBeVisible();
});

test('forgetting asks for the name and says what goes', async ({ open }) => {
  const page = await open();
  await page.getByRole('button', { name: 'Connection: Production' }).click();
  await page.getByRole('menuitem', { name: 'Edit this connection…' }).click();
  await page.getByRole('button', { name: 'Forget…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Forget Production' });
  await expect(dialog).toContainText('the token in the keychain');
  const forget = dialog.getByRole('button', { name: 'Forget Production' });
  await expect(forget).toBeDisabled();
  await dialog.getByRole('textbox', { name: 'Type Production to go on' }).fill('Production');
  await forget.click();
  await expect(page.getByText('Forgot Production')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Connection: Sample workspace' })).toBeVisible();
});
