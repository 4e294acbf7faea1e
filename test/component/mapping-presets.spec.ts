/** Mappings of spans are saved by name, and suggested even if no key is named like an input. */
import { readSharedMapping } from '../../renderer/lib/mapping-file.ts';
import { uuid } from './fake-main/scenario.ts';
import { expect, newestCall, test } from './fixtures.ts';
import { openMapping, openMappingFor } from './span-steps.ts';

test('saves a mapping for a dataset alone, or for every dataset of the application', async ({ open }) => {
  const page = await open({ theme: 'light', hasSentBuild: true });
  await openMappingFor(page);
  const save = async (isForDataset: boolean) => {
    await page.getByRole('button', { name: 'Saved mappings' }).click();
    await page.getByRole('menuitem', { name: 'Save this mapping…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save this mapping' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Refunds');
    await expect(dialog).toContainText('It is offered for other spans of this application.');
    await dialog.getByRole('checkbox', { name: 'Only for Refund questions' }).setChecked(isForDataset);
    if (isForDataset) await expect(dialog).toContainText('It is offered only for items of Refund questions.');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog).toBeHidden();
    return (await newestCall(page, 'presets:save'))['owner'];
  };
  expect(await save(true)).toMatchObject({ kind: 'spans', datasetId: uuid(100) });
  expect(await save(false)).not.toHaveProperty('datasetId');
});

test('saves a mapping as a file without saving it by name', async ({ open }) => {
  const page = await open({ theme: 'light', hasSentBuild: true });
  await openMappingFor(page);
  await page.getByRole('button', { name: 'Saved mappings' }).click();
  await page.getByRole('menuitem', { name: 'Save this mapping as a file…' }).click();
  const { fileName, base64 } = await newestCall(page, 'app:save-file');
  expect(fileName).toMatch(/\.spandeck-mapping\.json$/);
  expect(readSharedMapping(Buffer.from(String(base64), 'base64').toString())).toMatchObject({
    shared: { mapping: expect.arrayContaining([expect.objectContaining({ bucket: 'inputs' })]) },
  });
});

test('says that no attribute holds an input, and leads to other spans, if a suggestion finds none', async ({
  open,
}) => {
  const page = await open({ hasNoInputKeys: true });
  await openMapping(page);
  const notice = page.getByText('No attribute of these spans holds an input.');
  await expect(notice).toHaveCount(0);
  await page.getByRole('button', { name: 'Suggest a mapping' }).click();
  await expect(notice).toBeVisible();
  await page.getByRole('button', { name: 'Select spans' }).click();
  await expect(page.getByRole('grid', { name: /^Spans of/ })).toBeVisible();
});
