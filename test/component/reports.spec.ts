/** The dialog of a report, from every view that has one. */
import type { Page } from '@playwright/test';
import { violationsInBothThemes } from './accessibility.ts';
import { openDataset } from './dataset-steps.ts';
import type { Scenario } from './fake-main/scenario.ts';
import { expect, newestCall, test } from './fixtures.ts';
import { takePictures } from './pictures.ts';

const dialogOf = (page: Page) => page.getByRole('dialog', { name: /^Report/ });

async function openReport(
  open: (scenario?: Scenario) => Promise<Page>,
  scenario: Scenario = {},
): Promise<Page> {
  const page = await open({ hasScores: 'two', theme: 'light', ...scenario });
  await openDataset(page);
  await page.getByRole('tab', { name: /^Scores/ }).click();
  await page.getByRole('button', { name: 'Report…' }).click();
  return page;
}

test('a report of compared scores has the chosen fields, masks and the signature', async ({ open }, info) => {
  const page = await openReport(open);
  const dialog = dialogOf(page);
  await expect(dialog.getByRole('status')).toHaveText('62 rows, 9 fields of 11');
  await takePictures(page, info, 'report', async () => {
    await expect(dialog.getByRole('button', { name: 'Save as…' })).toBeInViewport();
  });
  expect(await violationsInBothThemes(page, { within: '[role=dialog]' })).toEqual([]);
  await dialog.getByRole('checkbox', { name: /^Reason after/ }).check();
  await dialog.getByRole('checkbox', { name: /^Trace/ }).uncheck();
  await dialog.getByRole('checkbox', { name: 'Mask Input' }).check();
  await dialog.getByRole('button', { name: 'Save as…' }).click();
  await expect(dialog).toBeHidden();
  expect(await newestCall(page, 'reports:act')).toMatchObject({
    ...{ action: 'write', fileName: 'conciseness-draft-and-answer.html' },
    subject: { kind: 'scores', lowerIsBetter: false },
    options: {
      fields: [
        ...['position', 'item_id', 'title', 'before', 'after', 'label_before', 'label_after'],
        ...['failure_kind', 'reasoning_after'],
      ],
      ...{ masked: ['title'], isSigned: true },
    },
  });
  await expect(page.getByText('Saved conciseness.html')).toBeVisible();
});

test('private fields stay masked, and without a keychain nothing is signed', async ({ open }) => {
  const page = await openReport(open, { report: 'private' });
  const dialog = dialogOf(page);
  await expect(dialog.getByText('Masked, private')).toBeVisible();
  await expect(dialog.getByRole('checkbox', { name: 'Mask Input' })).toHaveCount(0);
  await expect(dialog.getByRole('checkbox', { name: /^Sign/ })).toBeDisabled();
  await expect(dialog.getByText('There is no keychain')).toBeVisible();
  const checked = dialog.getByRole('group', { name: 'Fields' }).getByRole('checkbox', { checked: true });
  while ((await checked.count()) > 0) await checked.first().uncheck();
  await expect(dialog.getByRole('button', { name: 'Save as…' })).toBeDisabled();
});

test('what is not stored is said in the dialog', async ({ open }) => {
  const page = await openReport(open, { report: 'failed' });
  await expect(dialogOf(page)).toContainText('No values of this board are stored on this computer.');
  await expect(dialogOf(page).getByRole('button', { name: 'Save as…' })).toBeDisabled();
});
