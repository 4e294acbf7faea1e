/** Settings count at once, and still do after a restart. */
import { WelcomePage, Workbench } from '../helpers/pages.ts';
import { expect, test } from '../helpers/product.ts';

test('row density and time zone are so at once, and after a restart', async ({ launch }) => {
  // The workspace is made by the application itself here.
  const first = await launch({ hasSampleFile: false });
  const bench = new Workbench(first.page);
  await new WelcomePage(first.page).enterSample();
  const row = bench.row('Applications', 'Support assistant');
  await expect(row).toBeVisible();
  const heightOf = async () => (await row.boundingBox())?.height;
  await expect.poll(heightOf).toBe(28);

  await first.page.keyboard.press('Control+,');
  await expect(bench.heading).toHaveText('Settings');
  const setting = (name: string) => bench.view.getByRole('group', { name, exact: true });
  await setting('Row density').getByRole('combobox').selectOption('Comfortable, 34 px');
  const zone = setting('Time zone').getByRole('combobox');
  await zone.fill('Asia/Tokyo');
  await zone.press('Enter');
  await expect(setting('Time zone')).toContainText('changed from as the system');
  await bench.tab('Catalog').click();
  await expect.poll(heightOf).toBe(34);
  await first.close();

  const second = await launch();
  const again = new Workbench(second.page);
  await again.tab('Catalog').click();
  const same = again.row('Applications', 'Support assistant');
  await expect.poll(async () => (await same.boundingBox())?.height).toBe(34);
  await again.age.click();
  await expect(second.page.getByText(/GMT\+9/).first()).toBeVisible();
});
