/** The dialog of a report, opened from every view that has one. */
import type { Page } from '@playwright/test';
import { violationsInBothThemes } from './accessibility.ts';
import { openDataset } from './dataset-steps.ts';
import { MODEL_ID } from './fake-main/monitoring.ts';
import type { Scenario } from './fake-main/scenario.ts';
import { expect, newestCall, test } from './fixtures.ts';
import { takePictures } from './pictures.ts';
import { section } from './resource-steps.ts';
import { ofScope, openMapping } from './span-steps.ts';

const dialogOf = (page: Page) => page.getByRole('dialog', { name: /^Report/ });

async function openReport(
  open: (scenario?: Scenario) => Promise<Page>,
  scenario: Scenario = {},
): Promise<Page> {
  const page = await open({ hasScores: 'two', ...scenario });
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
  // A field that only repeats the title is left out.
  await expect(dialog.getByRole('checkbox', { name: 'Before', exact: true })).toBeChecked();
  await expect(dialog.getByRole('checkbox', { name: 'Input (title)', exact: true })).toBeChecked();
  await dialog.getByRole('checkbox', { name: /^Reason after/ }).check();
  await dialog.getByRole('checkbox', { name: /^Trace/ }).uncheck();
  await dialog.getByRole('checkbox', { name: 'Mask Input' }).check();
  await dialog.getByRole('button', { name: 'Save as…' }).click();
  await expect(dialog).toBeHidden();
  expect(await newestCall(page, 'reports:act')).toMatchObject({
    ...{ action: 'write', fileName: 'conciseness-draft-and-answer.html', form: 'html' },
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

test('a report is saved as PDF', async ({ open }) => {
  const page = await openReport(open);
  const dialog = dialogOf(page);
  await expect(dialog.getByRole('status')).toHaveText('62 rows, 9 fields of 11');
  await dialog.getByRole('button', { name: 'Save as PDF…' }).click();
  await expect(dialog).toBeHidden();
  expect(await newestCall(page, 'reports:act')).toMatchObject({
    ...{ action: 'write', form: 'pdf', fileName: 'conciseness-draft-and-answer.pdf' },
  });
  await expect(page.getByText('Only the HTML file can be verified.')).toBeVisible();
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

test('the dialog names the data that is not stored', async ({ open }) => {
  const page = await openReport(open, { report: 'failed' });
  await expect(dialogOf(page)).toContainText('No values of this board are stored on this computer.');
  await expect(dialogOf(page).getByRole('button', { name: 'Save as…' })).toBeDisabled();
});

/**
 * Each kind of report except compared scores: the window, the steps to the report, and the subject that is requested
 * from the main process.
 */
const KINDS: readonly {
  kind: string;
  scenario?: Scenario;
  press: (page: Page) => Promise<void>;
  subject: object;
}[] = [
  {
    kind: 'trace',
    scenario: ofScope('trace', 'trace-of-many'),
    press: (page) => page.getByRole('button', { name: 'Report…' }).click(),
    subject: { kind: 'trace', traceId: 'trace-of-many' },
  },
  {
    kind: 'review',
    press: async (page) => {
      await openMapping(page);
      const main = page.getByRole('main');
      await main.getByRole('button', { name: 'Spans', exact: true }).click();
      await main.getByRole('button', { name: 'Review', exact: true }).click();
      await expect(page.getByRole('group', { name: 'Review' })).toBeFocused();
      // No span has been decided yet.
      await expect(page.getByRole('button', { name: 'Report…' })).toBeDisabled();
      await page.keyboard.press('a');
      await page.getByRole('button', { name: 'Report…' }).click();
    },
    subject: { kind: 'review', buildId: expect.any(String) },
  },
  {
    kind: 'changes',
    press: async (page) => {
      await openDataset(page);
      await page.getByRole('tab', { name: /^Versions/ }).click();
      await page.getByRole('button', { name: 'Report…' }).click();
    },
    subject: { kind: 'changes', from: 2, to: 3, title: 'Changes from version 2 to version 3' },
  },
  {
    kind: 'version',
    press: async (page) => {
      await openDataset(page);
      await page.getByRole('tab', { name: /^Versions/ }).click();
      await page.getByText('Items of v3', { exact: true }).click();
      await page.getByRole('button', { name: 'Report…' }).click();
    },
    subject: { kind: 'version', snapshotId: 3, title: 'Refund questions, version 3' },
  },
  {
    kind: 'coverage',
    press: async (page) => {
      await openDataset(page);
      await page.getByRole('tab', { name: 'Coverage' }).click();
      await page.getByRole('button', { name: 'Report…' }).click();
    },
    subject: { kind: 'coverage', query: expect.objectContaining({ datasetId: expect.any(String) }) },
  },
  {
    kind: 'board',
    scenario: {
      hasManyMetrics: true,
      layout: {
        tabs: {
          list: [
            {
              ...{ id: '1', kind: 'board', title: 'Card fraud board' },
              params: { board: `model:${MODEL_ID}`, about: 'Card fraud', projectId: 'p' },
            },
          ],
          activeId: '1',
        },
      },
    },
    press: async (page) => {
      await expect(page.getByRole('heading', { name: 'Traffic', exact: true })).toBeVisible();
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Report…' }).click();
    },
    subject: {
      kind: 'board',
      charts: expect.arrayContaining([expect.objectContaining({ title: 'Traffic' })]),
    },
  },
  {
    kind: 'alert',
    press: async (page) => {
      await section(page, 'Alert rules');
      const rules = page.getByRole('grid', { name: 'Alert rules' });
      await rules.getByRole('row').filter({ hasText: 'Traffic drops' }).dblclick();
      await page.getByRole('button', { name: /^More/ }).last().click();
      await page.getByRole('menuitem', { name: 'Report…' }).click();
    },
    subject: { kind: 'alert', rule: expect.objectContaining({ operation: 'alert-rules.get' }) },
  },
];

for (const { kind, scenario = {}, press, subject } of KINDS)
  test(`a report of the kind ${kind} is asked for from its view`, async ({ open }) => {
    const page = await open({ theme: 'light', ...scenario });
    await press(page);
    const dialog = dialogOf(page);
    await expect(dialog.getByRole('status')).toHaveText('62 rows, 9 fields of 11');
    expect(await newestCall(page, 'reports:act')).toMatchObject({ action: 'fields', subject });
    await dialog.getByRole('button', { name: 'Save as…' }).click();
    await expect(dialog).toBeHidden();
    expect(await newestCall(page, 'reports:act')).toMatchObject({ action: 'write', subject });
  });
