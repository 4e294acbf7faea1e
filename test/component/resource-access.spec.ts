/** Checks lists and forms of resources for accessibility, in both themes and at the smallest size. */
import type { Page } from '@playwright/test';
import { violations, violationsInDark } from './accessibility.ts';
import { expect, test } from './fixtures.ts';
import { openBaselines, section } from './resource-steps.ts';

async function openFilter(page: Page): Promise<void> {
  await openBaselines(page);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
}

const filterText = (page: Page) => page.getByRole('textbox', { name: 'Filter as text' });

const VIEWS: Record<string, { scenario?: object; go: (page: Page) => Promise<unknown> }> = {
  'filter as rows, nested': {
    go: async (page) => {
      await openFilter(page);
      await page.getByRole('main').getByRole('tab', { name: 'Text' }).click();
      const deep = { condition: 'OR', rules: [{ field: 'row_count', operator: 'between', value: [1, 2] }] };
      const rules = [{ field: 'name', operator: 'in', value: ['a', 'b'] }, deep];
      await filterText(page).fill(JSON.stringify({ condition: 'AND', rules }));
      await page.getByRole('main').getByRole('tab', { name: 'Rows' }).click();
      await page.getByRole('button', { name: 'Apply filter' }).click();
      await expect(page.getByText('name is one of a, b')).toBeVisible();
    },
  },
  'filter as text, with a mistake': {
    go: async (page) => {
      await openFilter(page);
      await page.getByRole('main').getByRole('tab', { name: 'Text' }).click();
      await filterText(page).fill('{"condition": "AND"');
      await expect(page.getByText('Line 1, column 20')).toBeVisible();
    },
  },
  ordering: {
    go: async (page) => {
      await openBaselines(page);
      await page.getByRole('button', { name: 'More tools' }).click();
      await page.getByRole('button', { name: 'Default order' }).click();
      await expect(page.getByRole('combobox', { name: 'Sort by' })).toBeVisible();
    },
  },
  'form with problems': {
    go: async (page) => {
      await openBaselines(page);
      await page.getByRole('button', { name: 'New baseline' }).click();
      await page.getByRole('button', { name: 'Create baseline' }).click();
      await page.getByText('Other fields', { exact: true }).click();
      await expect(page.getByRole('textbox', { name: 'Other fields as JSON' })).toBeVisible();
    },
  },
  'form of a read-only connection': {
    scenario: { isReadOnly: true },
    go: async (page) => {
      await section(page, 'Custom metrics');
      await page.getByRole('button', { name: 'New custom metric' }).click();
      await expect(page.getByRole('form', { name: 'New custom metric' })).toBeVisible();
    },
  },
  'deletion of several, and what came of it': {
    go: async (page) => {
      await openBaselines(page);
      await page.getByRole('grid', { name: 'Baselines' }).focus();
      await page.keyboard.press('Control+a');
      await page.getByRole('button', { name: 'Delete 4 baselines…' }).click();
      await page.getByRole('dialog').getByRole('textbox').fill('4 baselines');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete 4 baselines' }).click();
      await expect(page.getByText('3 baselines deleted · 1 not')).toBeVisible();
    },
  },
  'record with its parts': {
    go: async (page) => {
      await section(page, 'Models');
      await page.getByRole('gridcell', { name: 'Bank churn', exact: true }).dblclick();
      await expect(page.getByRole('tab', { name: 'Schema 2' })).toBeVisible();
    },
  },
};

for (const [name, { scenario, go }] of Object.entries(VIEWS)) {
  test(`${name}: passes the accessibility checker, and nothing is cut off in the smallest window`, async ({
    open,
  }) => {
    const page = await open({ ...scenario, theme: 'light' });
    await go(page);
    expect(await violations(page)).toEqual([]);
    expect(await violationsInDark(page)).toEqual([]);
    await page.setViewportSize({ width: 1000, height: 640 });
    const overflow = () =>
      page.evaluate(() => {
        const view = document.querySelector('main');
        return [document.documentElement, view].map((box) => (box ? box.scrollWidth - box.clientWidth : 0));
      });
    await expect.poll(overflow).toEqual([0, 0]);
  });
}
