/** Boards at the sample service: drawn from its answers, changed, saved, and drawn again without the service. */

import { MonitoringPage } from '../helpers/monitoring-pages.ts';
import { ConnectionPage, WelcomePage } from '../helpers/pages.ts';
import { openPlace } from '../helpers/places.ts';
import { expect, test } from '../helpers/product.ts';

test('shows the board of a model, keeps its changes, and draws it again offline', async ({
  shared,
  service,
}) => {
  const { page } = shared;
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  const monitoring = new MonitoringPage(page);
  await expect(monitoring.row('Applications', 'Support assistant')).toBeVisible();

  await openPlace(page, 'Boards');
  await monitoring.pick('Board', /^Card fraud/);
  const titles = monitoring.view.locator('section.tile h2');
  await expect(titles.first()).toHaveText('Traffic');
  await expect(titles).toContainText([/^Drift against /, 'Precision and recall', 'Missing values']);
  await expect(titles).toContainText(['Amounts out of range']);
  const traffic = monitoring.view.getByRole('slider', { name: 'Time in Traffic' });
  await expect(traffic).toHaveAccessibleDescription(/^1 series from .*Traffic: \d+ values/);
  await monitoring.view.getByRole('combobox', { name: 'Time range of the board' }).selectOption('7d');
  await expect(traffic).toHaveAccessibleDescription(/Traffic: [78] values/);
  await monitoring.view.getByRole('combobox', { name: 'Compared with' }).selectOption('period');
  await expect(traffic).toHaveAccessibleDescription(/^2 series from .*previous week: \d values/);

  await monitoring.button('Edit Traffic').focus();
  await page.keyboard.press('Alt+Shift+ArrowRight');
  await expect(titles.nth(1)).toHaveText('Traffic');
  const whole = await titles.allTextContents();

  await monitoring.offlineSwitch.click();
  await openPlace(page, 'Home');
  await expect(titles).toHaveCount(0);
  await openPlace(page, 'Boards');
  await expect(titles).toHaveText(whole);
  await expect(traffic).toHaveAccessibleDescription(/^2 series from .*previous week: \d values/);
  await expect(monitoring.age.first()).toHaveAccessibleName(/offline · as of/);
});
