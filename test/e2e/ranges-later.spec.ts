/** Returning from a range that moved on, for a single part of a view, and after a restart. */
import type { Page } from '@playwright/test';
import { MonitoringPage } from '../helpers/monitoring-pages.ts';
import { ConnectionPage, WelcomePage } from '../helpers/pages.ts';
import { expect, type TestService, test } from '../helpers/product.ts';
import { SpansPage } from '../helpers/span-pages.ts';
import { standAhead } from '../helpers/window-clock.ts';

const DAY = 86_400_000;
const RULE = 'Fraud score drifts';
const FAILED = [{ action: { type: 'status', status: 500 } }] as const;

async function connect(page: Page, service: TestService): Promise<MonitoringPage> {
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  const bench = new MonitoringPage(page);
  await expect(bench.row('Applications', 'Support assistant')).toBeVisible();
  return bench;
}

test('computes unreadable latest alerts of a new range from its stored rules', async ({
  shared: { page },
  service,
}) => {
  test.slow();
  const monitoring = await connect(page, service);
  const { view } = monitoring;
  const part = (name: string) => monitoring.part(name);
  const upTo = view.getByText(/^to /);
  const summary = monitoring.row('Alert rules', RULE);

  await monitoring.go('Alert rules');
  await expect(summary).toContainText(/critical|warning/i);
  await part('Latest alerts');
  const box = view.getByRole('textbox', { name: 'Filter the loaded alert rules' });
  await box.fill('drifts');
  await box.press('Enter');
  await expect(monitoring.rows('Latest alerts')).toHaveCount(1);
  await part('Rules');
  await expect(summary).toBeVisible();

  await standAhead(page, DAY);
  await expect(summary).toContainText(/critical|warning/i);
  const asked = () => service.now.report().operations['alert-rules.summary']?.requests ?? 0;
  await expect.poll(asked, { timeout: 60_000 }).toBeGreaterThan(2);
  await expect(upTo).toBeHidden();

  service.now.setFaults(FAILED);
  await part('Latest alerts');
  await expect(monitoring.age).toHaveAccessibleName(/refresh failed · as of/, { timeout: 60_000 });
  await expect(monitoring.row('Latest alerts', RULE)).toBeVisible();
  await expect(upTo).toBeHidden();

  service.now.setFaults([]);
  await page.keyboard.press('Control+r');
  await expect(monitoring.age).toHaveAccessibleName(/: as of/, { timeout: 60_000 });
  await expect(monitoring.row('Latest alerts', RULE)).toBeVisible();
});

test('returns spans whose range moved on before the window closed to the stored range at the next start', async ({
  launch,
  service,
}) => {
  test.slow();
  const first = await launch();
  await connect(first.page, service);
  const spans = new SpansPage(first.page);
  await spans.open();
  await spans.bench.expectAge(/live/);
  await expect(spans.grid.locator('[aria-rowindex="2"]')).toContainText(/\w/);
  const span = await spans.grid.locator('[aria-rowindex="2"]').innerText();

  await test.step('no response arrives before the window is closed', async () => {
    service.now.setFaults([{ action: { type: 'hang' } }]);
    await first.page.clock.setFixedTime(Date.now() + DAY);
    await first.page.keyboard.press('Control+r');
    await expect(spans.bench.age).toHaveAccessibleName(/loading/);
    await first.close();
  });

  service.now.setFaults(FAILED);
  const { page } = await launch();
  const again = new SpansPage(page);
  const firstRow = () => again.grid.locator('[aria-rowindex="2"]').innerText();
  await expect(again.grid.locator('[aria-rowindex="2"]')).toBeVisible({ timeout: 60_000 });
  await expect.poll(firstRow).toBe(span);
  await expect(again.bench.age).toHaveAccessibleName(/refresh failed · as of/);

  await test.step('a view that is opened again a day later shows them too', async () => {
    await page.clock.setFixedTime(Date.now() + DAY);
    await page.keyboard.press('Control+w');
    await again.open();
    await expect(again.grid.locator('[aria-rowindex="2"]')).toBeVisible({ timeout: 60_000 });
    await expect.poll(firstRow).toBe(span);
    await expect(page.getByRole('button', { name: /^Time range: Last 7 days to / })).toBeVisible();
  });
});
