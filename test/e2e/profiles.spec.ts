/** Profiles of a real list: a bar filters to the number of rows that it states, and Escape shows all rows again. */
import { ConnectionPage, WelcomePage, Workbench } from '../helpers/pages.ts';
import { expect, test } from '../helpers/product.ts';

const figure = (text: string | null): number => Number(text?.split(', ').at(-1)?.replaceAll(',', ''));

test('leaves the stated number of rows after a click on a bar, updates other heads, and clears by Escape', async ({
  shared: { page },
  service,
}) => {
  const bench = new Workbench(page);
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  await bench.row('Applications', 'Support assistant').dblclick();
  const entities = 'Entities of Support assistant';
  await expect(bench.rows(entities).first()).toBeVisible();
  // While rows are loading, only the loaded ones are counted.
  await bench.expectAge(/live$/);
  const grid = bench.grid(entities);
  const all = await grid.getAttribute('aria-rowcount');

  await bench.view.getByRole('button', { name: 'Profiles', exact: true }).click();
  const types = grid.getByRole('group', { name: 'Values of Data type' }).getByRole('button');
  const bars = grid.getByRole('group', { name: 'Values of Rows' }).getByRole('button');
  await expect(types.first()).toBeVisible();
  const counts = async () =>
    (await bars.evaluateAll((parts) => parts.map((part) => part.ariaLabel))).map(figure);
  await expect.poll(async () => (await counts()).some((count) => count > 0)).toBe(true);
  // The first bar with rows, as most entities have only a few values.
  const found = await counts();
  const at = found.findIndex((count) => count > 0);
  const rows = found[at] ?? 0;
  await bars.nth(at).click();
  await expect(bars.nth(at)).toHaveAttribute('aria-pressed', 'true');
  await expect(grid).toHaveAttribute('aria-rowcount', String(rows + 1));
  await expect(bench.view.getByRole('status').first()).toContainText(/^[\d,]+ of [\d,]+/);
  const counted = async () =>
    (await types.evaluateAll((parts) => parts.map((part) => part.ariaLabel)))
      .map(figure)
      .reduce((sum, count) => sum + count, 0);
  await expect.poll(counted).toBeLessThanOrEqual(rows);

  await page.keyboard.press('Escape');
  await expect(bars.nth(at)).toHaveAttribute('aria-pressed', 'false');
  await expect(grid).toHaveAttribute('aria-rowcount', all ?? '');
});
