/**
 * The user goes through the whole evaluation loop while every press is counted: a failed trace, a review of failed
 * spans, a dataset, two runs and their comparison, the verdicts at the service, and all of this again without the
 * service.
 */
import type { Locator } from '@playwright/test';
import { ConnectionPage, startNow, WelcomePage, Workbench } from '../helpers/pages.ts';
import { sidebarLine } from '../helpers/places.ts';
import { expect, test } from '../helpers/product.ts';
import { facetValue } from '../helpers/span-pages.ts';
import { answerOpenDialog, answerSaveDialog } from '../helpers/upload-pages.ts';

/** Maximum number of clicks, key presses, and fields that are typed into. */
const MAX_PRESSES = 40;
const REVIEWED = 30;
/** Number of spans that are rejected one by one; the others are accepted together. */
const REJECTED = 6;
const ROW_HEIGHT = 38;
const EXPERIMENT = 'Verdicts of the first review';

test('leads from a failed trace to verdicts at the service in at most 40 presses', async ({
  shared,
  service,
}, testInfo) => {
  const { app, page } = shared;
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  const bench = new Workbench(page);
  const { view } = bench;
  let presses = 0;
  const press = async (target: Locator, how: Parameters<Locator['click']>[0] = {}) => {
    presses += 1;
    await target.click(how);
  };
  const button = (name: string | RegExp) => view.getByRole('button', { name });
  /** Typing into a field counts as one press, the click into the field. */
  const fill = async (field: Locator, text: string) => {
    presses += 1;
    await field.fill(text);
  };
  const datasetTab = page.getByRole('tab', { name: /^Support assistant/ }).nth(1);
  const verdicts = testInfo.outputPath('verdicts.jsonl');
  await answerSaveDialog(app, verdicts);
  await answerOpenDialog(app, [verdicts]);

  await test.step('reads a failed trace', async () => {
    await press(sidebarLine(page, 'Spans'));
    const grid = view.getByRole('grid', { name: /^Spans of/ });
    await expect(grid.getByRole('checkbox').nth(1)).toBeVisible();
    await press(facetValue(view, 'Failed'));
    await bench.expectAnswered();
    await press(
      bench
        .rowAt(/^Spans of/, 1)
        .getByRole('gridcell')
        .nth(1),
      { clickCount: 2 },
    );
    await expect(page.getByRole('complementary', { name: 'Inspector' })).toContainText('Status message');
    await press(page.getByRole('button', { name: 'Back', exact: true }));
  });

  await test.step('reviews the failed spans', async () => {
    const grid = view.getByRole('grid', { name: /^Spans of/ });
    const checkbox = (row: number) => bench.rowAt(/^Spans of/, row).getByRole('checkbox');
    const selected = view.getByRole('region', { name: 'Selected spans' });
    await press(checkbox(1));
    // When the bar of the selection appears, the list becomes lower and its elements show other rows, even during a
    // click.
    await expect(selected).toContainText('1 selected');
    await grid.evaluate((element, top) => element.scrollTo(0, top), (REVIEWED - 5) * ROW_HEIGHT);
    await expect(checkbox(REVIEWED)).toBeInViewport();
    await press(checkbox(REVIEWED), { modifiers: ['Shift'] });
    await expect(selected).toContainText(`${REVIEWED} selected`);
    await press(button(/^Review/));
    const decided = page.getByRole('progressbar', { name: 'Decided' });
    await expect(decided).toHaveAttribute('aria-valuemax', String(REVIEWED));
    /** The number of the span, which is shown above its content. */
    const shown = view.locator('header b.numbers');
    for (let at = 0; at < REJECTED; at += 1) {
      // A key that is pressed before the span is shown has no effect.
      await expect(shown.first()).toHaveText(String(at + 1));
      presses += 1;
      await page.keyboard.press('r');
      await expect(decided).toHaveAttribute('aria-valuenow', String(at + 1));
    }
    await press(button('More about the review'));
    await press(
      page.getByRole('menuitem', { name: `Accept the ${REVIEWED - REJECTED} open spans together` }),
    );
    await expect(decided).toHaveAttribute('aria-valuenow', String(REVIEWED));
  });
  const items = REVIEWED - REJECTED;

  await test.step('makes a dataset of the accepted ones', async () => {
    await press(button(`Add ${items} accepted…`));
    await press(button('Suggest a mapping'));
    await press(button('Next: preview'));
    await press(button('Next: dataset'));
    await press(button('Next: commit'));
    await press(button(/^Create the dataset with/));
    await startNow(view);
    await press(button('Save verdicts…'));
    await expect(page.getByText('Saved verdicts.jsonl')).toBeVisible();
    await press(button(/^Open /).first());
    await expect(view.getByRole('tab', { name: `Items ${items}` })).toBeVisible();
  });

  await test.step('compares two runs', async () => {
    const score = async (least: string) => {
      await fill(view.getByRole('textbox', { name: 'Minimum' }), least);
      await press(button(`Score ${items} items`));
      await expect(view.getByRole('region', { name: 'Runs' })).toContainText(`at least ${least} words`);
      // A failed span has no answer, so its item is skipped.
      await expect(view.getByRole('region', { name: 'Result', exact: true })).toContainText('scored items');
    };
    await press(view.getByRole('tab', { name: 'Scores' }));
    await press(button('Score items…').first());
    presses += 1;
    await view.getByRole('combobox', { name: 'Scored by' }).selectOption('length');
    await score('3');
    await press(button('Score items…').first());
    await score('9');
    await press(button(/^Compare with/));
    await expect(view.getByRole('region', { name: 'Compared runs' })).toContainText('Too few items to tell');
  });

  await test.step('brings the verdicts to the service', async () => {
    await press(view.getByRole('tab', { name: 'Experiments' }));
    await press(button('New experiment'));
    await fill(view.getByRole('textbox', { name: 'Name' }), EXPERIMENT);
    await press(button('Create experiment'));
    await expect(bench.heading).toHaveText(EXPERIMENT);
    await press(button('Upload results…'));
    await press(page.getByRole('dialog').getByRole('button', { name: `Upload ${items} results` }));
    await expect(view.getByRole('region', { name: 'Overview' })).toContainText(`${items}`);
  });

  await test.step('reads everything without the service', async () => {
    await service.stop();
    await press(datasetTab);
    await press(view.getByRole('tab', { name: /^Scores/ }));
    await expect(view.getByRole('region', { name: 'Compared runs' })).toContainText('Too few items to tell');
  });
  expect(presses).toBeLessThanOrEqual(MAX_PRESSES);
});
