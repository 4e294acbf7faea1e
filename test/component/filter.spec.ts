/** Filters of lists: as rows by pointer and keyboard, and as text. Also the two kinds of order. */
import type { Page } from '@playwright/test';
import type { FakeWindow } from './fake-main/scenario.ts';
import { callsOf, expect, test } from './fixtures.ts';
import { lastFilter, lastQuery, openBaselines, section } from './resource-steps.ts';

const builder = (page: Page) => page.getByRole('region', { name: 'Filter of baselines' });
const rules = (page: Page) => builder(page).getByRole('group', { name: /^Rule/ });

test.describe('the filter editor', () => {
  test('builds a filter by pointer, with suggestions and removable chips', async ({ open }) => {
    const page = await open();
    await openBaselines(page);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await builder(page).getByRole('combobox', { name: 'Field' }).click();
    await page.getByRole('option', { name: /^model_id/ }).click();
    await builder(page).getByRole('combobox', { name: 'Value' }).click();
    await page.getByRole('option', { name: 'Bank churn' }).click();
    await builder(page).getByRole('button', { name: 'Group' }).first().click();
    const inner = rules(page).nth(1);
    await inner.getByRole('combobox', { name: 'Field' }).click();
    await page.getByRole('option', { name: /^row_count/ }).click();
    await inner.getByRole('combobox', { name: 'Operator' }).selectOption('is between');
    await inner.getByRole('textbox', { name: 'From' }).fill('10');
    await expect(builder(page).getByText('Enter both bounds.').first()).toBeVisible();
    await expect(builder(page).getByRole('button', { name: 'Apply filter' })).toBeDisabled();
    await inner.getByRole('textbox', { name: 'To' }).fill('2000');
    await builder(page).getByRole('button', { name: 'Apply filter' }).click();

    await expect
      .poll(() => lastFilter(page))
      .toEqual({
        condition: 'AND',
        rules: [
          { field: 'model_id', operator: 'equal', value: expect.stringMatching(/^[0-9a-f-]{36}$/) },
          { condition: 'OR', rules: [{ field: 'row_count', operator: 'between', value: [10, 2000] }] },
        ],
      });
    await expect(page.getByText('model_id is Bank churn', { exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'Remove model_id is Bank churn' }).click();
    await expect
      .poll(() => lastFilter(page))
      .toMatchObject({
        rules: [{ condition: 'OR' }],
      });
    await page.getByRole('button', { name: 'Remove row_count is between 10 and 2,000' }).click();
    await expect.poll(() => lastQuery(page)).not.toHaveProperty('filter');
  });

  test('closes an open list of choices on Escape before the editor', async ({ open }) => {
    const page = await open();
    await openBaselines(page);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await builder(page).getByRole('combobox', { name: 'Field' }).click();
    await expect(page.getByRole('option', { name: /^model_id/ })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('option', { name: /^model_id/ })).toHaveCount(0);
    await expect(builder(page)).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(builder(page)).toHaveCount(0);
  });

  test('builds a filter by keyboard alone: rule, operator, list of values, grouping, applying, closing', async ({
    open,
  }) => {
    const page = await open();
    await openBaselines(page);
    const button = page.getByRole('button', { name: 'Filter', exact: true });
    await button.focus();
    await page.keyboard.press('Enter');
    const field = builder(page).getByRole('combobox', { name: 'Field' });
    await expect(field).toBeFocused();
    await page.keyboard.type('owner.team');
    await page.keyboard.press('Tab');
    await expect(builder(page).getByRole('combobox', { name: 'Operator' })).toBeFocused();
    await page.keyboard.type('is one');
    await page.keyboard.press('Tab');
    await page.keyboard.type('red');
    await page.keyboard.press('Enter');
    await expect(builder(page).getByRole('textbox', { name: 'Another value' })).toBeFocused();
    await page.keyboard.type('blue');
    await page.keyboard.press('Enter');

    await rules(page).getByRole('button', { name: 'Actions of the rule' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Put in a group' }).press('Enter');
    await expect(builder(page).getByRole('group', { name: 'Group of 1' })).toBeVisible();
    await rules(page).getByRole('button', { name: 'Actions of the rule' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Take out of its group' }).press('Enter');
    await expect(builder(page).getByRole('group', { name: /^Group/ })).toHaveCount(0);

    await rules(page).getByRole('textbox', { name: 'Another value' }).focus();
    await page.keyboard.press('Control+Enter');
    await expect
      .poll(() => lastFilter(page))
      .toEqual({
        condition: 'AND',
        rules: [{ field: 'owner.team', operator: 'in', value: ['red', 'blue'] }],
      });
    await expect(page.getByText('owner.team is one of red, blue', { exact: true })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(builder(page)).toBeHidden();
  });

  test('edits a filter as text: locates errors, keeps invalid text, and updates the rows', async ({
    open,
  }) => {
    const page = await open();
    await openBaselines(page);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await builder(page).getByRole('tab', { name: 'Text' }).click();
    const text = builder(page).getByRole('textbox', { name: 'Filter as text' });
    const broken =
      '{"condition": "AND",\n "rules": [{"field": "name", "operator": "contians", "value": "m"}]}';
    await text.fill(broken);
    await expect(builder(page)).toContainText('Line 2, column 42');
    await expect(builder(page)).toContainText('"contians" is not known');
    await expect(builder(page).getByRole('button', { name: 'Apply filter' })).toBeDisabled();
    await builder(page).getByRole('button', { name: 'Line 2, column 42' }).click();
    await expect(text).toBeFocused();

    await builder(page).getByRole('tab', { name: 'Rows' }).click();
    await expect(builder(page)).toContainText('Your text is kept.');
    await section(page, 'Models');
    await page.getByRole('tab', { name: 'Baselines' }).click();
    await builder(page).getByRole('button', { name: 'Back to the text' }).click();
    await expect(text).toHaveValue(broken);

    await text.fill(broken.replace('contians', 'contains'));
    await builder(page).getByRole('tab', { name: 'Rows' }).click();
    await expect(rules(page).getByRole('combobox', { name: 'Field' })).toHaveValue('name');
    await expect(rules(page).getByRole('combobox', { name: 'Operator' })).toHaveValue('contains');
    await rules(page).getByRole('textbox', { name: 'Value' }).fill('month');
    await builder(page).getByRole('tab', { name: 'Text' }).click();
    await expect(text).toHaveValue(/"value": "month"/);
    await builder(page).getByRole('button', { name: 'Apply filter' }).click();
    await expect
      .poll(() => lastFilter(page))
      .toMatchObject({
        rules: [{ field: 'name', operator: 'contains', value: 'month' }],
      });
  });

  test('shows marks that reverse the direction of text as symbols in a chip', async ({ open }) => {
    const page = await open();
    await openBaselines(page);
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await builder(page).getByRole('tab', { name: 'Text' }).click();
    const filter =
      '{"condition":"AND","rules":[{"field":"name","operator":"equal","value":"invoice\u202egnp"}]}';
    await builder(page).getByRole('textbox', { name: 'Filter as text' }).fill(filter);
    await builder(page).getByRole('button', { name: 'Apply filter' }).click();
    const chip = page.getByText('name is invoice⟨U+202E⟩gnp', { exact: true });
    await expect(chip).toBeVisible();
    await expect(chip).toHaveAttribute('title', /⟨U\+202E⟩/);
    await page.getByRole('button', { name: 'Remove name is invoice⟨U+202E⟩gnp' }).click();
    await expect.poll(() => lastQuery(page)).not.toHaveProperty('filter');
  });

  test('offers choices from arriving rows only after the value field is left', async ({ open }) => {
    const page = await open({ lists: 'loading' });
    await section(page, 'Baselines');
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await builder(page).getByRole('combobox', { name: 'Field' }).pressSequentially('model_id');
    await page.keyboard.press('Enter');
    const value = builder(page).getByLabel('Value', { exact: true });
    await value.pressSequentially('typed-');
    await page.evaluate(async () => {
      const fake = globalThis as unknown as FakeWindow;
      Object.assign(fake.scenario ?? {}, { lists: 'full' });
      const argument = fake.fakeCalls.findLast(({ channel }) => channel === 'library:open-list')?.argument;
      const answer = await window.spandeck?.invoke('library:open-list', argument);
      fake.fakeEvent('library:list-changed', (answer as { value: unknown }).value);
    });
    await expect(page.getByRole('gridcell', { name: 'default_static_baseline', exact: true })).toBeVisible();
    await expect(value).toBeFocused();
    await value.pressSequentially('by-hand');
    await expect(value).toHaveValue('typed-by-hand');
    await expect(value).toHaveRole('textbox');
    await page.keyboard.press('Tab');
    await expect(value).toHaveRole('combobox');
    await expect(value).toHaveValue('typed-by-hand');
  });

  test("separates the service's order from sorting stored rows", async ({ open }) => {
    const page = await open();
    await openBaselines(page);
    await page.getByRole('button', { name: 'More tools' }).click();
    await page.getByRole('button', { name: 'Default order' }).click();
    await page.getByRole('combobox', { name: 'Sort by' }).pressSequentially('updated');
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: 'Direction of updated_at' }).selectOption('descending');
    await expect.poll(() => lastQuery(page)).toEqual({ ordering: '-updated_at' });
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'updated_at ↓', exact: true })).toBeVisible();
    const before = (await callsOf(page, 'library:open-list')).length;
    await page.getByRole('columnheader', { name: 'Name' }).click();
    await expect(page.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'ascending');
    await expect(page.getByText('4 baselines', { exact: true })).toBeVisible();
    expect(await callsOf(page, 'library:open-list')).toHaveLength(before);
  });
});
