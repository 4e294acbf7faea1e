/** A pack is created in the window, and opened without a token, browsed and searched offline in another data folder. */
import { readFileSync } from 'node:fs';
import { WelcomePage, Workbench } from '../helpers/pages.ts';
import { expect, test } from '../helpers/product.ts';
import { answerOpenDialog, answerSaveDialog } from '../helpers/upload-pages.ts';

const PASSPHRASE = 'correct horse battery staple';

test('browses and searches a pack in another data folder without a token', async ({ launch }, testInfo) => {
  const file = testInfo.outputPath('support.pack');
  const first = await launch();
  await new WelcomePage(first.page).enterSample();
  const bench = new Workbench(first.page);
  await bench.row('Applications', 'Support assistant').dblclick();
  await bench.expectAge(/live/);
  const entity = bench.rowAt('Entities of Support assistant', 1);
  const row = await entity.innerText();
  await answerSaveDialog(first.app, file);
  await first.page.keyboard.press('Control+k');
  await expect(first.page.getByRole('combobox', { name: 'Search everything' })).toBeFocused();
  await first.page.keyboard.type('create a pack');
  await first.page.keyboard.press('Enter');
  const create = first.page.getByRole('dialog', { name: 'Create a pack' });
  await create.getByRole('checkbox', { name: 'Support assistant', exact: true }).check();
  await create.getByLabel('Passphrase', { exact: true }).fill(PASSPHRASE);
  await create.getByLabel('Passphrase again').fill(PASSPHRASE);
  await create.getByRole('button', { name: 'Save pack…' }).click();
  await expect(create).toContainText('Saved support.pack');
  await first.close();
  expect(readFileSync(file).toString('latin1')).not.toContain('Support');

  const second = await launch({ dataDir: testInfo.outputPath('other') });
  await answerOpenDialog(second.app, [file]);
  await second.page.getByRole('button', { name: /Open a pack/ }).click();
  const open = second.page.getByRole('dialog', { name: 'Open a pack' });
  await open.getByRole('button', { name: 'Choose a file…' }).click();
  await open.getByLabel('Passphrase').fill(PASSPHRASE);
  await open.getByRole('button', { name: 'Open', exact: true }).click();
  await expect(open).toHaveCount(0);
  const other = new Workbench(second.page);
  await expect(second.page.getByRole('button', { name: /^Connection: .*read-only · as of/ })).toBeVisible();
  await other.go('Catalog');
  await expect(other.rows('Applications')).toHaveCount(1);
  await other.row('Applications', 'Support assistant').dblclick();
  await other.expectAge(/offline · as of/);
  await expect.poll(() => other.rowAt('Entities of Support assistant', 1).innerText()).toBe(row);
  await second.page.keyboard.press('Control+Shift+F');
  await second.page.getByRole('combobox', { name: 'Text to find' }).fill('language');
  await expect(second.page.getByRole('option', { name: /language/i }).first()).toBeVisible();
});
