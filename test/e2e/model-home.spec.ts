/** The home page of a model at the sample service with its traffic and alerts, and again with the service stopped. */
import { MonitoringPage } from '../helpers/monitoring-pages.ts';
import { ConnectionPage, WelcomePage } from '../helpers/pages.ts';
import { openPlace } from '../helpers/places.ts';
import { expect, test } from '../helpers/product.ts';

test('shows the home of a model by keyboard, and from stored answers with the service stopped', async ({
  shared: { page },
  service,
}) => {
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  const bench = new MonitoringPage(page);
  await expect(bench.row('Applications', 'Support assistant')).toBeVisible();
  await openPlace(page, 'Models');
  const row = bench.row('Models', 'Card fraud');
  await expect(row.getByRole('img', { name: /^Events a day of Card fraud, as of / })).toBeVisible();
  await expect(row).toContainText(/\d of \d+ rules fired/);

  await row.click();
  await page.keyboard.press('Enter');
  await expect(bench.heading).toHaveText('Card fraud');
  const home = bench.view.getByRole('region', { name: 'Overview of Card fraud' });
  const figure = home.getByText(/events a day, 30 days/);
  await expect(figure).toBeVisible();
  const traffic = await figure.innerText();
  await expect(home.getByRole('row', { name: /^fraud_score output float/ })).toBeVisible();
  await expect(home.getByText(/\d of \d+ rules fired in 7 days/)).toBeVisible();
  // In this narrow section, the value is below its rule.
  const alert = home.getByRole('region', { name: 'Alerts' }).getByRole('listitem').first();
  const isBelow = () =>
    alert.evaluate((item) => {
      const [rule, value] = ['button', '.what'].map((part) =>
        item.querySelector(part)?.getBoundingClientRect(),
      );
      return rule !== undefined && value !== undefined && value.top >= rule.bottom - 1;
    });
  await expect.poll(isBelow).toBe(true);
  await expect(home.getByRole('button', { name: 'production', exact: true })).toBeVisible();
  await expect(home.getByRole('button', { name: 'default_static_baseline' })).toBeVisible();
  await expect(home.getByText('No file was sent to this model from here.')).toBeVisible();

  await service.stop();
  await page.reload();
  await expect(figure).toHaveText(traffic, { useInnerText: true });
  await expect(home.getByText(/\d of \d+ rules fired in 7 days/)).toBeVisible();
  // The home page has read the first rows of each part.
  await home.getByRole('button', { name: 'All baselines' }).click();
  await expect(bench.row('Baselines', 'default_static_baseline')).toBeVisible();
  await service.start();
  await bench.expectBack();
});
