/** What the window remembers of its tabs, however it is closed. */
import { WelcomePage, Workbench } from '../helpers/pages.ts';
import { expect, test } from '../helpers/product.ts';

for (const way of ['quit', 'closed by its window'] as const) {
  test(`tabs changed right before the end are there at the next start: ${way}`, async ({ launch }) => {
    const first = await launch();
    const bench = new Workbench(first.page);
    await new WelcomePage(first.page).enterSample();
    await expect(bench.row('Applications', 'Support assistant')).toBeVisible();
    // Two changes within the time in which only the first is written by itself.
    await first.page.keyboard.press('Control+4');
    await first.page.keyboard.press('Control+7');
    if (way === 'quit') await first.close();
    else {
      const ended = first.app.waitForEvent('close');
      await first.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.close());
      await ended;
    }

    const { page } = await launch();
    const again = new Workbench(page);
    await expect(again.heading).toHaveText('Alert rules');
    await expect(again.tab('Datasets')).toBeVisible();
    await expect(again.tab('Alert rules')).toHaveAttribute('aria-selected', 'true');
  });
}

test('a grid is where it was when its tab is shown again, and at the next start', async ({ launch }) => {
  const first = await launch();
  const bench = new Workbench(first.page);
  await new WelcomePage(first.page).enterSample();
  await bench.row('Applications', 'Support assistant').dblclick();
  await expect(bench.rows(/^Entities/).first()).toBeVisible();
  // All of them: only so far as rows are known do the keys go.
  await bench.expectAge(/live/);
  await bench.grid(/^Entities/).focus();
  for (let page = 0; page < 5; page += 1) await first.page.keyboard.press('PageDown');
  const selected = bench.grid(/^Entities/).locator('[aria-selected=true][aria-rowindex]');
  const row = await selected.getAttribute('aria-rowindex');
  expect(Number(row)).toBeGreaterThan(50);
  await first.page.keyboard.press('Control+4');
  await expect(bench.heading).toHaveText('Datasets');
  await bench.tab('Support assistant').click();
  await expect(selected).toHaveAttribute('aria-rowindex', String(row));
  await expect(selected).toBeInViewport();
  await first.close();

  const { page } = await launch();
  const again = new Workbench(page).grid(/^Entities/).locator('[aria-selected=true][aria-rowindex]');
  await expect(again).toHaveAttribute('aria-rowindex', String(row));
  await expect(again).toBeInViewport();
});

test('the active tab stays in sight when the window becomes narrow', async ({ launch }) => {
  const { page } = await launch();
  const bench = new Workbench(page);
  await new WelcomePage(page).enterSample();
  await expect(bench.row('Applications', 'Support assistant')).toBeVisible();
  for (const key of ['4', '6', '7', '3']) await page.keyboard.press(`Control+${key}`);
  await bench.row('Attributes', /./).first().waitFor();
  await page.setViewportSize({ width: 700, height: 640 });
  await expect(bench.tab('Attributes')).toBeInViewport({ ratio: 0.95 });
});
