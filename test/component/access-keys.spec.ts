/** Access keys and users: when the token expires, which key it belongs to, and how to replace it. */
import { openPlace } from '../helpers/places.ts';
import { violations, violationsInDark } from './accessibility.ts';
import { callsOf, expect, test } from './fixtures.ts';

const NEAR = 6 * 24;

test('says on Home when the token expires, and takes a new one in place', async ({ open }) => {
  const page = await open({ opensStart: true, tokenHours: NEAR });
  const note = page.getByRole('status').filter({ hasText: 'This token expires' });
  await expect(note).toContainText('This token expires in 6 days. Key “Workbench”.');
  expect(await violations(page)).toEqual([]);
  await note.getByRole('button', { name: 'Enter a new token…' }).click();
  const dialog = page.getByRole('dialog', { name: 'New token' });
  await expect(dialog).toContainText('The old key still works until you delete it in Access keys.');
  await dialog.getByLabel('New access token').fill('tok-3f9c1d7a5b2e4860-Zq8');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);
  const [saved] = await callsOf(page, 'connections:save');
  expect(saved?.argument['token']).toBe('tok-3f9c1d7a5b2e4860-Zq8');
  // No listed key ends with the characters of the new token.
  await expect(note).toHaveCount(0);
  expect(await page.content()).not.toContain('tok-3f9c1d7a5b2e4860-Zq8');
});

test('says hours on the last day, and that a token has expired', async ({ open }) => {
  for (const [tokenHours, words] of [
    [5.5, 'This token expires in 5 hours.'],
    [-1, 'This token has expired.'],
  ] as const) {
    const page = await open({ opensStart: true, tokenHours });
    await expect(page.getByText(words)).toBeVisible();
  }
});

test('says nothing on Home if the end is far, unknown, or not offered, and always in the connection', async ({
  open,
}) => {
  for (const scenario of [{ tokenHours: 800 }, {}, { lists: 'unknown' as const, tokenHours: NEAR }]) {
    const page = await open({ opensStart: true, ...scenario });
    await expect(page.getByRole('button', { name: 'Select spans' })).toBeVisible();
    await expect(page.getByText('This token')).toHaveCount(0);
  }
  const page = await open({ tokenHours: 800 });
  await page.getByRole('button', { name: 'Connection: Production' }).click();
  await page.getByRole('menuitem', { name: 'Edit this connection…' }).click();
  await expect(page.getByText('This token expires in 33 days.')).toBeVisible();
});

test('lists the keys, marks the one of this connection and an expired one, postpones its end and deletes one', async ({
  open,
}) => {
  const page = await open({ tokenHours: NEAR });
  await openPlace(page, 'Access keys');
  const grid = page.getByRole('grid', { name: 'Access keys' });
  await expect(grid.getByRole('row', { name: /Workbench/ })).toContainText('this connection');
  await expect(grid.getByRole('row', { name: /Old laptop/ })).toContainText('expired');
  await expect(page.getByText('Spandeck makes no keys')).toBeVisible();
  await expect(page.getByRole('button', { name: /^New / })).toHaveCount(0);
  expect(await violationsInDark(page)).toEqual([]);

  await grid.getByRole('gridcell', { name: 'Nightly export' }).dblclick();
  await page.getByRole('button', { name: 'Edit' }).click();
  const form = page.getByRole('form', { name: 'Change Nightly export' });
  await form.getByRole('textbox', { name: /^Expires/ }).fill('2199-01-01 10:00');
  await form.getByRole('button', { name: 'Save changes' }).click();
  const [change] = await callsOf(page, 'resources:act');
  expect(change?.argument).toMatchObject({
    operation: 'access-keys.update',
    path: { key_id: 'fkh_k3y00000001' },
    body: { expires_at: expect.stringContaining('2199-01-01T') },
  });
  await page.getByRole('button', { name: 'Delete…' }).click();
  await expect(page.getByRole('dialog')).toContainText('Programs that use this key are refused at once.');
});

test('lists users with their roles, and says where a service offers neither', async ({ open }) => {
  const page = await open();
  await openPlace(page, 'Users');
  const grid = page.getByRole('grid', { name: 'Users' });
  await expect(grid.getByRole('row', { name: /Ana Kovac/ })).toContainText(
    /admin.*ana@example\.com.*Risk models \(project member\)/,
  );
  await grid.getByRole('gridcell', { name: 'Ana Kovac' }).dblclick();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Ana Kovac');
  const main = page.getByRole('main');
  await expect(main.getByText('admin', { exact: true })).toBeVisible();
  await expect(main.getByText(/^last seen /)).toBeVisible();
  await expect(main.getByRole('row', { name: 'Risk models project member' })).toBeVisible();
  // Names and constants of the service are shown as words everywhere.
  await main.getByRole('tab', { name: 'Details' }).click();
  await expect(main.getByRole('row', { name: 'Risk models project member' })).toBeVisible();
  await expect(main.getByRole('columnheader', { name: 'Role' })).toBeVisible();
  await expect(main).not.toContainText(/PROJECT_MEMBER|ADMIN/);
  await openPlace(page, 'Users');
  await grid.getByRole('gridcell', { name: 'Ana Kovac' }).click();
  await page.keyboard.press('Space');
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await expect(inspector.getByRole('row', { name: 'Risk models project member' })).toBeVisible();
  await expect(inspector).toContainText('Last login time');
  await expect(inspector).not.toContainText(/PROJECT_MEMBER|ADMIN|last_login_time/);

  const without = await open({ lists: 'unknown' });
  await openPlace(without, 'Access keys');
  await expect(without.getByText('This service does not offer access keys')).toBeVisible();
  await openPlace(without, 'Users');
  await expect(without.getByText('This service does not offer users')).toBeVisible();
});
