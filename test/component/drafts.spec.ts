/** Drafts of forms: unsent input is kept after its tab is closed, is offered again, and is deleted when it is sent. */
import type { Page } from '@playwright/test';
import { violationsInBothThemes } from './accessibility.ts';
import type { Scenario } from './fake-main/scenario.ts';
import { callsOf, expect, expectCalls, layoutOf, test } from './fixtures.ts';
import { openBaselines, openDatasetForm, section } from './resource-steps.ts';

const form = (page: Page) => page.getByRole('form', { name: 'New baseline' });
const nameOf = (page: Page) => form(page).getByRole('textbox', { name: 'Name' });
const tabOf = (page: Page) => page.getByRole('tab', { name: 'New baseline' });

async function typeBaseline(page: Page, name: string): Promise<void> {
  await openBaselines(page);
  await page.getByRole('button', { name: 'New baseline' }).click();
  await nameOf(page).fill(name);
}

/** Returns the drafts as they were last written. */
async function written(page: Page): Promise<Record<string, unknown>> {
  const calls = await callsOf(page, 'layout:write');
  const drafts = calls.filter(({ argument }) => String(argument['key']).startsWith('draft.'));
  return Object.fromEntries(drafts.map(({ argument }) => [String(argument['key']), argument['value']]));
}

const textIn = (draft: unknown): string =>
  (draft as { value: { values: Record<string, string> } }).value.values['description'] ?? '';

test.describe('drafts of forms', () => {
  test('marks a tab with input, and restores the input when the tab is reopened', async ({ open }) => {
    const page = await open();
    await typeBaseline(page, 'month');
    await expect(tabOf(page)).toHaveAccessibleName('New baseline (unsaved input)');
    await page.keyboard.press('Control+w');
    await expect(tabOf(page)).toHaveCount(0);
    await page.getByRole('button', { name: 'Reopen' }).click();
    await expect(nameOf(page)).toHaveValue('month');
    await expect(page.getByText('Restored draft from 10:24')).toBeVisible();
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
    await expect(nameOf(page)).toHaveValue('');
    await expect(tabOf(page)).toHaveAccessibleName('New baseline');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Open draft' }).click();
    await expect(nameOf(page)).toHaveValue('month');
  });

  test('opens a kept draft in its form while that form is open again in another tab', async ({ open }) => {
    const page = await open();
    await typeBaseline(page, 'first');
    await page.keyboard.press('Control+w');
    const reopen = page.getByRole('button', { name: 'Reopen' });
    await reopen.hover();
    await page.getByRole('button', { name: 'New baseline' }).press('Enter');
    await expect(nameOf(page)).toHaveValue('');
    await reopen.click();
    await expect(nameOf(page)).toHaveValue('first');
    await expect(page.getByText('Restored draft from 10:24')).toBeVisible();
  });

  test('opens a kept draft of a change in the open tab of its record, also beside other input', async ({
    open,
  }) => {
    const page = await open();
    await section(page, 'Datasets');
    const row = page.getByRole('row', { name: /^Refund questions/ });
    const text = page.getByRole('textbox', { name: 'Description' });
    const change = async (typed: string) => {
      await row.dblclick();
      await page.getByRole('tab', { name: 'Details' }).click();
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      await text.fill(typed);
    };
    await change('first');
    await page.keyboard.press('Control+w');
    const reopen = page.getByRole('button', { name: 'Reopen' });
    await expect(reopen).toBeVisible();
    await change('second');
    await reopen.click();
    await expect(text).toHaveValue('first');
    await expect
      .poll(async () =>
        Object.values(await written(page))
          .map((each) => textIn(each))
          .toSorted(),
      )
      .toEqual(['first', 'second']);
    await page.keyboard.press('Control+w');
    await reopen.first().waitFor();
    await row.dblclick();
    await expect(text).toHaveCount(0);
    await reopen.first().click();
    await expect(text).toHaveValue('first');
  });

  test('offers the draft in a new instance of the form, and keeps other input as a separate draft', async ({
    open,
  }) => {
    const page = await open();
    await typeBaseline(page, 'first');
    await page.getByRole('button', { name: 'Close New baseline' }).click();
    await page.getByRole('button', { name: 'New baseline' }).click();
    await expect(page.getByText(/^Draft from/)).toBeVisible();
    await expect(nameOf(page)).toHaveValue('');
    await nameOf(page).fill('second');
    await page.getByRole('button', { name: 'Open draft' }).click();
    await expect(nameOf(page)).toHaveValue('first');
    await page.getByRole('button', { name: 'Close New baseline' }).click();
    await page.getByRole('button', { name: 'New baseline' }).click();
    await expect(page.getByText('the newest of 2 drafts')).toBeVisible();
  });

  test('keeps drafts over a restart; an edit stores only differences and otherwise follows the record', async ({
    open,
  }) => {
    const page = await open();
    await openDatasetForm(page);
    const change = page.getByRole('form', { name: 'Change Refund questions' });
    await change.getByRole('textbox', { name: 'Description' }).fill('typed before');
    await expect
      .poll(async () => Object.values(await written(page)))
      .toMatchObject([{ value: { values: { description: 'typed before' }, wasSent: false } }]);
    const [draft] = Object.values(await written(page));
    expect(Object.keys((draft as { value: { values: object } }).value.values)).toEqual(['description']);
    const layout = await layoutOf(page);

    const next = await open({ layout });
    await expect(next.getByRole('tab', { name: 'Refund questions (unsaved input)' })).toBeVisible();
    await expect(next.getByRole('textbox', { name: 'Description' })).toHaveValue('typed before');
    await next.getByRole('button', { name: 'Save changes' }).click();
    await expectCalls(next, 'resources:act', [{ body: { description: 'typed before' } }]);
    await expect.poll(async () => Object.values(await written(next))).toEqual([null]);
    await expect(next.getByRole('tab', { name: /unsaved input/ })).toHaveCount(0);
  });

  test('a restored edit asks whose value to keep if the record was changed meanwhile', async ({ open }) => {
    const page = await open();
    await openDatasetForm(page);
    await page.getByRole('textbox', { name: 'Description' }).fill('mine');
    await expect.poll(async () => Object.values(await written(page))).toHaveLength(1);
    const layout = Object.entries(await layoutOf(page)).map(([key, value]) => {
      const draft = structuredClone(value) as { value: { seen: Record<string, string> } };
      if (key.startsWith('draft.')) draft.value.seen['description'] = 'As it was';
      return [key, draft];
    });

    const next = await open({ layout: Object.fromEntries(layout) });
    const form = next.getByRole('form', { name: 'Change Refund questions' });
    const text = form.getByRole('textbox', { name: 'Description' });
    await expect(text).toHaveValue('mine');
    const notice = form.getByText(
      /^Changed at the service meanwhile: was “As it was”, is now “Questions about/,
    );
    await expect(notice).toBeVisible();
    expect(await violationsInBothThemes(next)).toEqual([]);
    await form.getByRole('button', { name: 'Save changes' }).click();
    await expect(text).toBeFocused();
    expect(await callsOf(next, 'resources:act')).toEqual([]);
    await form.getByRole('button', { name: 'Keep mine' }).click();
    await expect(notice).toBeHidden();
    await expect(text).toBeFocused();
    await form.getByRole('button', { name: 'Save changes' }).click();
    await expectCalls(next, 'resources:act', [{ body: { description: 'mine' } }]);
  });

  test('a changed checkbox names both values to screen readers, and gets the focus back', async ({
    open,
  }) => {
    const page = await open();
    await openDatasetForm(page);
    await page.getByRole('checkbox', { name: 'Active' }).uncheck();
    await expect.poll(async () => Object.values(await written(page))).toHaveLength(1);
    const layout = Object.entries(await layoutOf(page)).map(([key, value]) => {
      const draft = structuredClone(value) as { value: { seen: Record<string, boolean> } };
      if (key.startsWith('draft.')) draft.value.seen['active'] = false;
      return [key, draft];
    });

    const next = await open({ layout: Object.fromEntries(layout) });
    const active = next.getByRole('checkbox', { name: 'Active' });
    await expect(active).toHaveAccessibleDescription(
      'An inactive dataset is not deleted. Changed at the service meanwhile: was off, is now on.',
    );
    await next.getByRole('button', { name: 'Take theirs' }).click();
    await expect(active).toBeChecked();
    await expect(active).toBeFocused();
    await expect(active).toHaveAccessibleDescription('An inactive dataset is not deleted.');
  });

  test('reports on restore that the form was sent without an answer', async ({ open }) => {
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
    await expect(page.getByText('No answer came: the change may or may not have been made')).toBeVisible();
  });

  test('keeps drafts of a second edit, and discards them on Cancel, also one restored after a restart', async ({
    open,
  }) => {
    const openEdit = async (page: Page) => {
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      await page.getByRole('textbox', { name: 'Description' }).fill('typed before');
      await expect(page.getByRole('tab', { name: 'Refund questions (unsaved input)' })).toBeVisible();
    };
    const cancel = async (page: Page) => {
      await page.getByRole('button', { name: 'Cancel' }).click();
      await expect(page.getByRole('textbox', { name: 'Description' })).toHaveCount(0);
      await expect(page.getByRole('tab', { name: 'Refund questions', exact: true })).toBeVisible();
      await expect.poll(async () => Object.values(await written(page)).at(-1)).toBeNull();
    };
    const page = await open();
    await section(page, 'Datasets');
    await page.getByRole('row', { name: /^Refund questions/ }).dblclick();
    await page.getByRole('tab', { name: 'Details' }).click();
    await openEdit(page);
    await cancel(page);
    await openEdit(page);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await expect(page.getByRole('tab', { name: 'Refund questions', exact: true })).toBeVisible();
    await openEdit(page);
    const next = await open({ layout: await layoutOf(page) });
    await expect(next.getByRole('textbox', { name: 'Description' })).toHaveValue('typed before');
    await cancel(next);
  });

  test('discards the input on Cancel, and can undo that', async ({ open }) => {
    const page = await open();
    await typeBaseline(page, 'month');
    await form(page).getByRole('button', { name: 'Cancel' }).click();
    await expect(tabOf(page)).toHaveCount(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(nameOf(page)).toHaveValue('month');
  });

  test('asks on closing only if input would be lost', async ({ open }) => {
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
    await dialog.getByRole('button', { name: 'Close and discard' }).click();
    await expect(tabOf(page)).toHaveCount(0);
    await page.getByRole('button', { name: 'New baseline' }).click();
    await expect(page.getByText(/^Draft from/)).toHaveCount(0);
  });

  const upload = async (page: Page, button: string) => {
    await section(page, 'Uploads');
    await page.getByRole('button', { name: button }).click();
  };

  test('keeps the form of a deletion after closing its tab and after a restart', async ({ open }) => {
    const page = await open();
    await upload(page, 'Delete events…');
    const form = page.getByRole('form', { name: 'What to delete' });
    await form.getByRole('textbox', { name: 'Event ids' }).fill('a1\na2');
    await expect(page.getByRole('tab', { name: 'Deletions (unsaved input)' })).toBeVisible();
    await section(page, 'Requests');
    await page.getByRole('tab', { name: 'Deletions (unsaved input)' }).click();
    await expect(form.getByRole('textbox', { name: 'Event ids' })).toHaveValue('a1\na2');
    await form.getByText('Start later', { exact: true }).click();
    await form.getByRole('button', { name: 'Tonight 02:00' }).click();
    await expect
      .poll(async () => Object.values(await written(page)))
      .toMatchObject([
        { value: { idText: 'a1\na2', when: 'later', startText: expect.stringMatching(/T02:00$/) } },
      ]);

    const next = await open({ layout: await layoutOf(page) });
    const again = next.getByRole('form', { name: 'What to delete' });
    await expect(again.getByRole('textbox', { name: 'Event ids' })).toHaveValue('a1\na2');
    await expect(again.getByLabel('Starts at')).toHaveValue(/T02:00$/);
    await expect(again.getByText('Restored draft from')).toBeVisible();
    await again.getByRole('button', { name: 'Discard', exact: true }).click();
    await expect(again.getByRole('textbox', { name: 'Event ids' })).toHaveValue('');
    await expect(next.getByRole('tab', { name: 'Deletions', exact: true })).toBeVisible();
  });

  test('reports that too many ids are not stored', async ({ open }) => {
    const page = await open();
    await upload(page, 'Delete events…');
    await page.getByRole('textbox', { name: 'Event ids' }).fill('id-00000001 '.repeat(8_000));
    await expect(
      page.getByText('You lose what you type here when you close the tab or the window.'),
    ).toBeVisible();
    expect(JSON.stringify(await written(page))).not.toContain('id-00000001 id-00000001 id-00000001');
  });

  test('keeps the form of a new connection after closing its tab and after a restart, without its token', async ({
    open,
  }) => {
    const page = await open();
    await page.getByRole('button', { name: 'Connection: Production' }).click();
    await page.getByRole('menuitem', { name: 'Connect to a service…' }).click();
    const form = page.getByRole('form', { name: 'New connection' });
    await form.getByRole('textbox', { name: 'Name', exact: true }).fill('Staging');
    await form.getByRole('textbox', { name: 'Base URL' }).fill('https://staging.example.com');
    await form.getByLabel('Access token').fill('tok-typed-once');
    await section(page, 'Requests');
    await page.getByRole('tab', { name: 'New connection (unsaved input)' }).click();
    await expect(form.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('Staging');
    await expect(form.getByLabel('Access token')).toHaveValue('');
    await expect(form.getByText('The form does not keep a typed token')).toBeVisible();
    await form
      .getByRole('textbox', { name: 'Base URL' })
      .fill('https://me:tok-typed-once@staging.example.com');
    await expect
      .poll(async () => Object.values(await written(page)))
      .toMatchObject([{ value: { name: 'Staging', isSecretGone: true } }]);
    expect(JSON.stringify(await callsOf(page, 'layout:write'))).not.toContain('tok-typed-once');

    const next = await open({ layout: await layoutOf(page) });
    const again = next.getByRole('form', { name: 'New connection' });
    await expect(again.getByRole('textbox', { name: 'Name', exact: true })).toHaveValue('Staging');
    await expect(again.getByText('The form does not keep a typed token')).toBeVisible();
    await again.getByRole('textbox', { name: 'Base URL' }).fill('https://staging.example.com');
    await again.getByLabel('Access token').fill('tok-typed-again');
    await again.getByRole('button', { name: 'Connect', exact: true }).click();
    await expect(next.getByRole('button', { name: 'Connection: Staging' })).toBeVisible();
    await expect.poll(async () => Object.values(await written(next))).toEqual([null]);
  });

  test('stores the differences of an edited connection, and nothing after saving', async ({ open }) => {
    const page = await open();
    await page.getByRole('button', { name: 'Connection: Production' }).click();
    await page.getByRole('menuitem', { name: /^Edit/ }).click();
    const form = page.getByRole('form', { name: 'Connection Production' });
    await form.getByRole('checkbox', { name: 'Read-only' }).check();
    await expect
      .poll(async () => Object.values(await written(page)))
      .toMatchObject([{ value: { isReadOnly: true, isSecretGone: false } }]);
    await section(page, 'Requests');
    await page.getByRole('tab', { name: /^Connection: Production/ }).click();
    await expect(form.getByRole('checkbox', { name: 'Read-only' })).toBeChecked();
    await form.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByRole('tab', { name: /unsaved input/ })).toHaveCount(0);
  });

  test("keeps the input of the first connection's form in the settings", async ({ open }) => {
    const page = await open({ isFirstRun: true });
    await page.getByRole('button', { name: /^Connect to a service/ }).click();
    const nameIn = (of: Page) => of.getByRole('textbox', { name: 'Name', exact: true });
    await nameIn(page).fill('Staging');
    await page.getByLabel('Access token').fill('tok-typed-once');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: /^Connect to a service/ }).click();
    await expect(nameIn(page)).toHaveValue('Staging');
    const kept = async () => (await callsOf(page, 'settings:set')).at(-1)?.argument['firstConnection'];
    await expect.poll(kept).toMatchObject({});
    expect(JSON.stringify(await callsOf(page, 'settings:set'))).not.toContain('tok-typed-once');

    const firstConnection = (await kept()) as NonNullable<Scenario['firstConnection']>;
    const next = await open({ isFirstRun: true, firstConnection });
    await next.getByRole('button', { name: /^Connect to a service/ }).click();
    await expect(nameIn(next)).toHaveValue('Staging');
    await next.getByRole('button', { name: 'Discard', exact: true }).click();
    await expect(nameIn(next)).toHaveValue('');
    await expect
      .poll(async () => (await callsOf(next, 'settings:set')).at(-1)?.argument['firstConnection'])
      .toBeNull();
  });
});
