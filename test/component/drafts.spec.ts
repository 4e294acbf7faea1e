/** What is typed into forms and not sent: it outlives its tab, is offered again, and goes once it is sent. */
import type { Page } from '@playwright/test';
import { callsOf, expect, test } from './fixtures.ts';
import { openBaselines, section } from './resource-steps.ts';

const form = (page: Page) => page.getByRole('form', { name: 'New baseline' });
const nameOf = (page: Page) => form(page).getByRole('textbox', { name: 'Name' });
const tabOf = (page: Page) => page.getByRole('tab', { name: 'New baseline' });

async function typeBaseline(page: Page, name: string): Promise<void> {
  await openBaselines(page);
  await page.getByRole('button', { name: 'New baseline' }).click();
  await nameOf(page).fill(name);
}

/** Drafts as they were last written. */
async function written(page: Page): Promise<Record<string, unknown>> {
  const calls = await callsOf(page, 'layout:write');
  const drafts = calls.filter(({ argument }) => String(argument['key']).startsWith('draft.'));
  return Object.fromEntries(drafts.map(({ argument }) => [String(argument['key']), argument['value']]));
}

test.describe('drafts of forms', () => {
  test('a tab with input says so; closed and reopened it stands there again', async ({ open }) => {
    const page = await open();
    await typeBaseline(page, 'month');
    await expect(tabOf(page)).toHaveAccessibleName('New baseline (unsaved input)');
    await page.keyboard.press('Control+w');
    await expect(tabOf(page)).toHaveCount(0);
    await page.getByRole('button', { name: 'Reopen' }).click();
    await expect(nameOf(page)).toHaveValue('month');
    await expect(page.getByText(/Typed before, and kept: left \d\d:\d\d/)).toBeVisible();
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
    await expect(nameOf(page)).toHaveValue('');
    await expect(tabOf(page)).toHaveAccessibleName('New baseline');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Go on with it' }).click();
    await expect(nameOf(page)).toHaveValue('month');
  });

  test('the same form opened anew offers it; what is typed instead is a draft of its own', async ({
    open,
  }) => {
    const page = await open();
    await typeBaseline(page, 'first');
    await page.getByRole('button', { name: 'Close New baseline' }).click();
    await page.getByRole('button', { name: 'New baseline' }).click();
    await expect(page.getByText('A draft of this form was left')).toBeVisible();
    await expect(nameOf(page)).toHaveValue('');
    await nameOf(page).fill('second');
    await page.getByRole('button', { name: 'Go on with it' }).click();
    await expect(nameOf(page)).toHaveValue('first');
    await page.getByRole('button', { name: 'Close New baseline' }).click();
    await page.getByRole('button', { name: 'New baseline' }).click();
    await expect(page.getByText('The newest of 2 drafts of this form')).toBeVisible();
  });

  test('kept over a restart; a change keeps only what differs, and the record is followed in the rest', async ({
    open,
  }) => {
    const page = await open();
    await section(page, 'Datasets');
    await page.getByRole('gridcell', { name: 'Refund questions', exact: true }).dblclick();
    await page.getByRole('button', { name: 'Edit' }).click();
    const change = page.getByRole('form', { name: 'Change Refund questions' });
    await change.getByRole('textbox', { name: 'Description' }).fill('typed before');
    await expect
      .poll(async () => Object.values(await written(page)))
      .toMatchObject([{ value: { values: { description: 'typed before' }, wasSent: false } }]);
    const [draft] = Object.values(await written(page));
    expect(Object.keys((draft as { value: { values: object } }).value.values)).toEqual(['description']);
    const layout: Record<string, unknown> = {};
    for (const { argument } of await callsOf(page, 'layout:write'))
      layout[String(argument['key'])] = argument['value'];

    const next = await open({ layout });
    await expect(next.getByRole('tab', { name: 'Refund questions (unsaved input)' })).toBeVisible();
    await expect(next.getByRole('textbox', { name: 'Description' })).toHaveValue('typed before');
    await next.getByRole('button', { name: 'Save changes' }).click();
    const [sent] = await callsOf(next, 'resources:act');
    expect(sent?.argument['body']).toEqual({ description: 'typed before' });
    await expect.poll(async () => Object.values(await written(next))).toEqual([null]);
    await expect(next.getByRole('tab', { name: /unsaved input/ })).toHaveCount(0);
  });

  test('what was sent and has no answer says so when it comes back', async ({ open }) => {
    const layout = {
      tabs: {
        list: [
          {
            id: '7',
            kind: 'resource',
            title: 'New baseline',
            params: { resource: 'baselines', mode: 'new' },
          },
        ],
        activeId: '7',
      },
      'draft.a': {
        form: 'baselines.new',
        tabId: '7',
        left: null,
        atMs: 1_000,
        value: { values: { name: 'once' }, other: '', wasSent: true },
      },
    };
    const page = await open({ layout });
    await expect(nameOf(page)).toHaveValue('once');
    await expect(page.getByText('This was sent, and no answer came')).toBeVisible();
  });

  test('cancelling gives it up, and that can be undone', async ({ open }) => {
    const page = await open();
    await typeBaseline(page, 'month');
    await form(page).getByRole('button', { name: 'Cancel' }).click();
    await expect(tabOf(page)).toHaveCount(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(nameOf(page)).toHaveValue('month');
  });

  test('closing asks only where it would be lost', async ({ open }) => {
    const page = await open();
    await typeBaseline(page, 'month');
    await form(page).getByText('Other fields', { exact: true }).click();
    await form(page).getByRole('textbox', { name: 'Other fields as JSON' }).fill('{"password": "x"}');
    await page.getByRole('button', { name: 'Close New baseline' }).click();
    const dialog = page.getByRole('dialog', { name: 'Close “New baseline”' });
    await expect(dialog).toContainText('not written to disk');
    expect(JSON.stringify(await written(page))).not.toContain('password');
    await dialog.getByRole('button', { name: 'Stay' }).click();
    await expect(nameOf(page)).toHaveValue('month');
    await page.getByRole('button', { name: 'Close New baseline' }).click();
    await dialog.getByRole('button', { name: 'Close and lose it' }).click();
    await expect(tabOf(page)).toHaveCount(0);
    await page.getByRole('button', { name: 'New baseline' }).click();
    await expect(page.getByText('A draft of this form')).toHaveCount(0);
  });
});
