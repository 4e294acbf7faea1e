/**
 * Packs: creating one with chosen and masked data and a passphrase, and opening one, even before a connection exists.
 */
import { violationsInBothThemes } from './accessibility.ts';
import { callsOf, expect, newestCall, test } from './fixtures.ts';

test('creates a pack of the chosen and masked content, with a passphrase typed twice', async ({ open }) => {
  const page = await open({ theme: 'light' });
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox', { name: 'Search everything' })).toBeFocused();
  await page.keyboard.type('create a pack');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Create a pack' });
  const save = dialog.getByRole('button', { name: 'Save pack…' });
  await expect(save).toBeDisabled();
  await page.setViewportSize({ width: 1_000, height: 640 });
  await dialog.getByRole('checkbox', { name: 'Support assistant' }).check();
  await dialog.getByRole('checkbox', { name: 'Slow answers' }).check();
  await expect(dialog.getByRole('status').last()).toContainText(
    '4 lists · 12,400 rows · 31 MB before packing',
  );
  await dialog.getByRole('checkbox', { name: 'Mask input' }).check();
  await dialog.getByLabel('Find a field').fill('attributes.user.*');
  await dialog.getByLabel('Find a field').press('Enter');
  await expect(dialog.getByRole('list', { name: 'Masked paths' })).toContainText('attributes.user.*');
  await expect(dialog.getByRole('row', { name: /attributes\.user\.id/ })).toContainText('[redacted]');
  await dialog.getByLabel('Passphrase', { exact: true }).fill('short');
  await expect(dialog).toContainText('Too short: 5 of at least 12 characters');
  await dialog.getByLabel('Passphrase', { exact: true }).fill('correct horse battery staple');
  await dialog.getByLabel('Passphrase again').fill('correct house');
  await expect(dialog).toContainText('It differs from the first.');
  await expect(save).toBeDisabled();
  await dialog.getByLabel('Passphrase again').fill('correct horse battery staple');
  await expect(dialog).toContainText('Good');
  expect(await violationsInBothThemes(page)).toEqual([]);
  await save.click();
  await expect(dialog).toContainText('Saved spandeck.pack (3 MB): 4 lists, 12,400 rows');
  expect(
    (await callsOf(page, 'pack:act')).filter(({ argument }) => argument['action'] === 'create'),
  ).toMatchObject([
    {
      argument: {
        choice: {
          applications: ['a'],
          datasets: [],
          experiments: [],
          charts: [],
          views: ['v2'],
          redact: ['input', 'attributes.user.*'],
        },
        passphrase: 'correct horse battery staple',
      },
    },
  ]);
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(dialog).toHaveCount(0);
});

test('proposes the private fields of the settings to be masked, and the user can remove one', async ({
  open,
}) => {
  const page = await open({ settings: { privateFields: 'input, patient.*' } });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('create a pack');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Create a pack' });
  await dialog.getByRole('checkbox', { name: 'Support assistant' }).check();
  await expect(dialog.getByRole('checkbox', { name: 'Mask input' })).toBeChecked();
  await expect(dialog.getByRole('list', { name: 'Masked paths' })).toContainText('patient.*');
  await dialog.getByRole('button', { name: 'Do not mask patient.*' }).click();
  await dialog.getByLabel('Passphrase', { exact: true }).fill('correct horse battery staple');
  await dialog.getByLabel('Passphrase again').fill('correct horse battery staple');
  await dialog.getByRole('button', { name: 'Save pack…' }).click();
  await expect(dialog).toContainText('Saved spandeck.pack');
  const made = (await callsOf(page, 'pack:act')).filter(({ argument }) => argument['action'] === 'create');
  expect(made).toMatchObject([{ argument: { choice: { redact: ['input'] } } }]);
});

test('opens a pack from the welcome screen, and reports a wrong passphrase', async ({ open }) => {
  const page = await open({ isFirstRun: true });
  await page.getByRole('button', { name: /Open a pack/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Open a pack' });
  await expect(dialog.getByRole('button', { name: 'Open', exact: true })).toBeDisabled();
  await dialog.getByRole('button', { name: 'Choose a file…' }).click();
  await dialog.getByLabel('Passphrase').fill('not this one at all');
  await dialog.getByRole('button', { name: 'Open', exact: true }).click();
  await expect(dialog.getByRole('alert')).toContainText('This is not the passphrase of claims.pack');
  // The dialog has no clipboard function for its errors, so they use the function of the window.
  await dialog.getByRole('alert').getByText('Details', { exact: true }).click();
  await dialog.getByRole('alert').getByRole('button', { name: 'Copy details' }).click();
  const { text } = await newestCall(page, 'app:copy-text');
  expect(text).toContain('This is not the passphrase of claims.pack');
});
