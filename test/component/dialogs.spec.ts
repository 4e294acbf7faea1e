/** In the smallest window, the content of each dialog scrolls between its title and its buttons, and no field is covered. */
import type { Locator, Page } from '@playwright/test';
import { openPlace, openPlaceToStay } from '../helpers/places.ts';
import { openDataset } from './dataset-steps.ts';
import type { Scenario } from './fake-main/scenario.ts';
import { expect, openEntities, test } from './fixtures.ts';
import { HAS_PICTURES, takePictures } from './pictures.ts';
import { openBaselines, section } from './resource-steps.ts';
import { bar, openReview, openSpans } from './span-steps.ts';

const SMALLEST = { width: 1_000, height: 640 };

interface Case {
  name: string;
  /** The field whose text confirms the action. It is in view at once, whatever is above it. */
  confirms?: true;
  scenario?: Scenario;
  ask: (page: Page) => Promise<unknown>;
}

async function askToDeleteBaselines(page: Page, count: number): Promise<void> {
  await openBaselines(page);
  await page.getByRole('grid', { name: 'Baselines' }).focus();
  for (let step = 1; step < count; step += 1) await page.keyboard.press('Shift+ArrowDown');
  await page.getByRole('button', { name: `Delete ${count} baselines…` }).click();
}

async function askToForget(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Connection: Production' }).click();
  await page.getByRole('menuitem', { name: 'Edit this connection…' }).click();
  await page.getByRole('button', { name: 'Forget…' }).click();
}

async function runCommand(page: Page, title: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search everything' }).fill(title);
  await page.getByRole('option', { name: title }).first().click();
}

const startLater = (page: Page) => page.getByRole('dialog').getByText('Start later', { exact: true }).click();

const CASES: readonly Case[] = [
  { name: 'two baselines', confirms: true, ask: (page) => askToDeleteBaselines(page, 2) },
  {
    name: 'four baselines later',
    confirms: true,
    ask: async (page) => {
      await askToDeleteBaselines(page, 4);
      await startLater(page);
      await page.getByRole('button', { name: 'In 1 hour' }).click();
    },
  },
  {
    name: 'baselines while offline',
    confirms: true,
    scenario: { network: 'switched-off' },
    ask: (page) => askToDeleteBaselines(page, 4),
  },
  {
    name: 'a dataset',
    confirms: true,
    ask: async (page) => {
      await openDataset(page);
      await page.getByRole('button', { name: 'Delete…' }).click();
    },
  },
  {
    name: 'traces',
    confirms: true,
    ask: async (page) => {
      await (await openSpans(page)).press('x');
      await bar(page).getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('menuitem', { name: /^Delete the trace of / }).click();
      await startLater(page);
      await page.getByRole('button', { name: 'In 1 hour' }).click();
    },
  },
  {
    name: 'a change of alert rules',
    ask: async (page) => {
      await section(page, 'Alert rules');
      await page.getByRole('grid', { name: 'Alert rules' }).getByRole('gridcell').first().click();
      await page.keyboard.press('Shift+ArrowDown');
      await page.getByRole('button', { name: 'Change 2 rules' }).click();
      await page.getByRole('menuitem', { name: 'Turn notifications off' }).click();
      await startLater(page);
      await page.getByRole('button', { name: 'In 1 hour' }).click();
    },
  },
  {
    name: 'a connection',
    confirms: true,
    scenario: { outbox: 'full', hasExports: true },
    ask: askToForget,
  },
  {
    name: 'another start',
    scenario: { hasPlans: true },
    ask: async (page) => {
      await openPlace(page, 'Uploads');
      await page.getByRole('button', { name: 'churn_1.csv', exact: true }).click();
      await page.getByRole('button', { name: 'Change the start…' }).click();
    },
  },
  {
    name: 'a repeat',
    scenario: { hasRepeats: true },
    ask: async (page) => {
      await openPlace(page, 'Jobs');
      await page.getByRole('button', { name: 'Change the repeat of weekly report' }).click();
    },
  },
  {
    name: 'an export',
    ask: async (page) => {
      await openEntities(page);
      await page.keyboard.press('Control+Shift+E');
      await page
        .getByRole('dialog')
        .getByRole('radio', { name: /columns shown$/ })
        .check();
    },
  },
  {
    name: 'offline content',
    ask: async (page) => {
      await openEntities(page);
      await page.getByRole('button', { name: 'Keep offline' }).click();
    },
  },
  { name: 'a pack', ask: (page) => runCommand(page, 'Create a pack') },
  {
    name: 'a report',
    scenario: { hasScores: 'two' },
    ask: async (page) => {
      await openDataset(page);
      await page.getByRole('tab', { name: /^Scores/ }).click();
      await page.getByRole('button', { name: 'Report…' }).click();
    },
  },
  {
    name: 'an item',
    ask: async (page) => {
      await openDataset(page);
      await page
        .getByRole('complementary', { name: 'Inspector' })
        .getByRole('button', { name: 'Edit item…' })
        .click();
    },
  },
  {
    name: 'a second review',
    scenario: { itemFile: 'full', hasThreeReviewers: true },
    ask: async (page) => {
      await openReview(page);
      await page.keyboard.press('a');
      await page.getByRole('button', { name: 'Second review…' }).click();
    },
  },
  { name: 'the lock', ask: (page) => page.keyboard.press('Control+Shift+L') },
  {
    name: 'a group of tabs',
    ask: async (page) => {
      await openPlaceToStay(page, 'Datasets');
      await page.getByRole('tab', { name: 'Datasets' }).click({ button: 'right' });
      await page.getByRole('menuitem', { name: 'New group…' }).click();
    },
  },
];

/**
 * The controls of a dialog that are covered or cut off while they have the focus, and parts of the dialog outside of the
 * window. Runs in the window.
 */
function coveredFields(dialog: Element): string[] {
  const faults: string[] = [];
  const look = (control: Element, when: string): void => {
    // A radio button or checkbox can be drawn by its label.
    const own = control.getBoundingClientRect();
    const drawn = own.width < 8 ? (control.closest('label') ?? control) : control;
    const box = drawn.getBoundingClientRect();
    for (const y of [box.top + 2, box.bottom - 2]) {
      const top = document.elementFromPoint(box.left + Math.min(12, box.width / 2), y);
      const isFree =
        top !== null && (drawn.contains(top) || top.contains(drawn) || top.closest('label')?.contains(drawn));
      // An element that contains the whole dialog body lies behind it.
      const isOwnPart =
        isFree && top !== null && dialog.contains(top) && !top.matches('.foot, .head, .float');
      if (!isOwnPart) {
        const name =
          control.getAttribute('aria-label') ?? control.closest('label')?.textContent ?? control.textContent;
        faults.push(`${control.tagName} ${name?.trim() ?? ''} ${control.id} is covered ${when}`);
        return;
      }
    }
  };
  const { activeElement: first } = document;
  if (first !== null && first !== dialog && dialog.contains(first)) look(first, 'at first');
  for (const control of dialog.querySelectorAll<HTMLElement>('input, select, textarea, button')) {
    if (!control.checkVisibility({ visibilityProperty: true })) continue;
    control.focus();
    if (document.activeElement === control) look(control, 'with the focus');
  }
  const { top, bottom } = dialog.getBoundingClientRect();
  if (top < 0 || bottom > innerHeight) faults.push(`the dialog is from ${top} to ${bottom}`);
  return faults;
}

/** Waits until what the dialog shows has its final height. */
async function settle(dialog: Locator): Promise<void> {
  await expect(dialog).toBeVisible();
  await expect(dialog.locator('[data-skeleton]')).toHaveCount(0);
}

for (const { name, confirms, scenario, ask } of CASES) {
  test(`covers no field of the dialog for ${name} in the smallest window`, async ({ open }, info) => {
    const page = await open(scenario);
    await page.setViewportSize(SMALLEST);
    await ask(page);
    const dialog = page.getByRole('dialog');
    await settle(dialog);
    if (HAS_PICTURES) {
      await takePictures(page, info, `dialog-${name.replaceAll(' ', '-')}`);
      await page.setViewportSize(SMALLEST);
    }
    if (confirms === true)
      await expect(dialog.getByRole('textbox', { name: /^Type .* to continue$/ })).toBeInViewport({
        ratio: 1,
      });
    expect(await dialog.evaluate(coveredFields)).toEqual([]);
  });
}
