/** Ranges move on with time, and if the new range cannot be read, the stored one is shown again. */
import { MonitoringPage } from '../helpers/monitoring-pages.ts';
import { ConnectionPage, WelcomePage } from '../helpers/pages.ts';
import { expect, test } from '../helpers/product.ts';
import { standAhead } from '../helpers/window-clock.ts';

const DAY = 86_400_000;
const RULE = 'Fraud score drifts';
const FAILED = [{ action: { type: 'status', status: 500 } }] as const;

test('returns to the stored range of alerts if the one after midnight cannot be read', async ({
  shared: { page },
  service,
}) => {
  test.slow();
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  const monitoring = new MonitoringPage(page);
  await expect(monitoring.row('Applications', 'Support assistant')).toBeVisible();
  const { view } = monitoring;
  const part = (name: string) => monitoring.part(name);
  /** The text beside a range that does not end now. */
  const upTo = view.getByText(/^to /);

  await monitoring.go('Alert rules');
  await expect(monitoring.row('Alert rules', RULE)).toContainText(/critical|warning/i);
  await part('Latest alerts');
  await expect(monitoring.row('Latest alerts', RULE)).toBeVisible();
  await part('Rules');
  await monitoring.row('Alert rules', RULE).dblclick();
  const drawn = await monitoring.describeWhole();
  await part('Records');
  const first = monitoring.rowAt(/^Records of/, 1);
  await expect(first).toBeVisible();
  const record = (await first.innerText()).split('\n')[0] ?? '';

  service.now.setFaults(FAILED);
  await standAhead(page, DAY);
  await test.step('records, timeline, latest alerts and their list show stored content', async () => {
    await expect(upTo).toBeVisible({ timeout: 60_000 });
    await expect(first).toContainText(record);
    await expect(monitoring.age).toHaveAccessibleName(/refresh failed · as of/);
    await part('Timeline');
    await expect.poll(() => monitoring.describe()).toBe(drawn);
    await expect(upTo).toBeVisible();
    await monitoring.tab('Alert rules').click();
    await expect(upTo).toBeVisible({ timeout: 60_000 });
    await expect(monitoring.row('Alert rules', RULE)).toContainText(/critical|warning/i);
    await expect(view.getByText(/^Could not refresh the latest alerts: /)).toBeVisible();
    await part('Latest alerts');
    await expect(monitoring.row('Latest alerts', RULE)).toBeVisible();
    await expect(monitoring.age).toHaveAccessibleName(/refresh failed · as of/);
  });

  service.now.setFaults([]);
  await test.step('a refresh moves up to now when the service answers', async () => {
    await page.keyboard.press('Control+r');
    await expect(upTo).toBeHidden({ timeout: 60_000 });
    await expect(monitoring.row('Latest alerts', RULE)).toBeVisible();
    await expect(monitoring.age).toHaveAccessibleName(/: as of/);
  });
});
