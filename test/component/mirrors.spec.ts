/** Mirrors for notebooks: their command, their actions, and code that reads the rows of a view. */
import { openPlace } from '../helpers/places.ts';
import { expect, expectCalls, newestCall, openEntities, test } from './fixtures.ts';

test('asks for a folder, writes the mirror and lists it among the jobs', async ({ open }) => {
  const page = await open();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search everything' }).fill('notebooks');
  await page.getByRole('option', { name: /^Mirror for notebooks/ }).click();
  expect(await newestCall(page, 'jobs:create')).toMatchObject({ kind: 'mirror', plan: { tables: null } });
  await expectCalls(page, 'jobs:save', [{ kind: 'mirror', what: 'folder' }]);
  await expect(page.getByText('Writing the mirror to chosen')).toBeVisible();
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Jobs');
  await expect(page.getByRole('row', { name: /chosen/ })).toContainText('Writing');
});

test('shows what a mirror wrote and lacks, refreshes one, and resumes and cancels others', async ({
  open,
}) => {
  const page = await open({ hasMirrors: true });
  await openPlace(page, 'Jobs');
  const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name} `) });
  await expect(row('notebooks')).toContainText(
    '12 tables with 1,204,000 rows; 14,000 rows written, the rest had not changed. 1 table lacks rows of the service: the catalog says which',
  );
  await expect(row('nightly')).toContainText('310,000 of 1,204,000 rows');
  await expect(row('shared')).toContainText('no room');
  await page.getByRole('button', { name: 'More about notebooks' }).click();
  await page.getByRole('menuitem', { name: 'Copy notebook code' }).click();
  expect(await newestCall(page, 'app:copy-text')).toMatchObject({
    text: expect.stringContaining('MIRROR = "/home/ada/notebooks"'),
  });
  await page.getByRole('button', { name: 'Show notebooks in its folder' }).click();
  await page.getByRole('button', { name: 'Resume shared' }).click();
  await page.getByRole('button', { name: 'More about nightly' }).click();
  await page.getByRole('menuitem', { name: 'Cancel mirror' }).click();
  await expectCalls(page, 'jobs:control', [
    { kind: 'mirror', id: 'notebooks', action: 'show-file' },
    { kind: 'mirror', id: 'shared', action: 'resume' },
    { kind: 'mirror', id: 'nightly', action: 'cancel' },
  ]);
  await page.getByRole('button', { name: 'Refresh notebooks' }).click();
  expect(await newestCall(page, 'jobs:create')).toMatchObject({
    kind: 'mirror',
    plan: { tables: null, again: 'notebooks' },
  });
  await expect(row('notebooks')).toContainText('Writing');
});

test('copies code that reads the rows of a list from the newest mirror', async ({ open }) => {
  const page = await open({ hasMirrors: true });
  await openEntities(page);
  await page
    .getByRole('gridcell', { name: 'gen_ai.user.count', exact: true })
    .first()
    .click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Copy notebook code' }).click();
  await expect(page.getByText('Notebook code copied')).toBeVisible();
  const { text } = (await newestCall(page, 'app:copy-text')) as { text: string };
  expect(text).toContain('MIRROR = "/home/ada/notebooks"');
  expect(text).toContain('FROM "entities" AS t\nWHERE application = name_of(');
});

test('copies the code of a query, and says that there is no mirror yet', async ({ open }) => {
  const page = await open();
  await page.getByRole('navigation').getByRole('button', { name: 'SQL', exact: true }).click();
  await page.getByRole('textbox', { name: 'SQL' }).fill('SELECT * FROM spans');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByRole('grid', { name: 'Result' })).toBeVisible();
  await page.getByRole('button', { name: 'Copy notebook code' }).click();
  await expect(page.getByText('Notebook code copied: write a mirror first')).toBeVisible();
  const { text } = (await newestCall(page, 'app:copy-text')) as { text: string };
  expect(text).toContain('frame = m.sql("""\nSELECT * FROM spans\n""")');
  expect(text).toContain('# Write a mirror first');
});
