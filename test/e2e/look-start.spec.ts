/** Looks at the pages that do not belong to a record: the welcome page, Home and Settings. */
import { Look, SIZES, type Theme, USUAL } from '../helpers/look.ts';
import { WelcomePage, Workbench } from '../helpers/pages.ts';
import { expect, test } from '../helpers/product.ts';
import { PICTURES_ONLY } from '../helpers/tours.ts';

for (const theme of ['light', 'dark'] satisfies Theme[]) {
  const tag = theme === 'dark' ? [PICTURES_ONLY] : [];
  test(`welcome, start and settings, ${theme}`, { tag }, async ({ launch }, testInfo) => {
    test.slow();
    const { page } = await launch();
    await page.emulateMedia({ colorScheme: theme });
    const looker = new Look(page, theme, testInfo, theme === 'light' ? SIZES : USUAL);
    const look = (name: string) => looker.at(name);
    const bench = new Workbench(page);
    await look('welcome');
    await new WelcomePage(page).openSample.click();
    const alerts = page.getByRole('region', { name: 'Newest alerts' });
    await expect(alerts.getByRole('listitem').first().getByRole('img')).toBeVisible();
    const steps = page.getByRole('region', { name: 'First steps' });
    await expect(steps.getByRole('button', { name: 'Open the trace' })).toBeEnabled();
    await expect(steps.getByRole('table', { name: 'First rows of the file' })).toBeVisible();
    await look('start');
    await steps.getByRole('button', { name: 'Close the first steps' }).click();
    await expect(steps).toHaveCount(0);
    await look('start without first steps');
    await page.keyboard.press('Control+,');
    await expect(bench.heading).toHaveText('Settings');
    await page.getByRole('textbox', { name: 'Search settings' }).fill('offline');
    await expect(bench.view.getByRole('group', { name: 'Start offline' })).toBeVisible();
    await look('settings');
  });
}
