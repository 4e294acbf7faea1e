/** Spans on their way to a dataset, a trace, a chart and an alert timeline: screenshots, axe, nothing cut off. */
import type { Page } from '@playwright/test';
import { Look, SIZES, type Theme, USUAL } from '../helpers/look.ts';
import { MonitoringPage } from '../helpers/monitoring-pages.ts';
import { ConnectionPage, WelcomePage, Workbench } from '../helpers/pages.ts';
import { openPlace } from '../helpers/places.ts';
import { expect, test } from '../helpers/product.ts';
import { PICTURES_ONLY } from '../helpers/tours.ts';

async function lookAtSpans(page: Page, look: Look): Promise<void> {
  const bench = new Workbench(page);
  await expect(bench.row('Applications', 'Support assistant')).toBeVisible();
  await openPlace(page, 'Spans');
  await expect(bench.rows(/^Spans of/).first()).toBeVisible();
  await bench.view.getByRole('tab', { name: /^Attributes/ }).click();
  await look.at('spans-attributes');
  await bench.view.getByRole('tab', { name: /^Spans/ }).click();
  await bench.view.getByRole('button', { name: 'Reading pane' }).click();
  await look.at('spans-reading');
  await bench.inspector.getByRole('button', { name: 'Open trace' }).click();
  await look.at('trace');
  await page.keyboard.press('Control+w');
  await bench.view.getByRole('button', { name: 'More tools' }).click();
  await look.at('spans-tools');
  await page.getByRole('button', { name: /^Select all / }).click();
  await page.keyboard.press('Escape');
  await expect(bench.view.getByRole('button', { name: 'Create dataset…' })).toBeEnabled();
  await look.at('spans-picked');
  await bench.view.getByRole('button', { name: 'Create dataset…' }).click();
  const keys = bench.view.getByRole('listbox', { name: 'Attribute keys' });
  await expect(keys.getByRole('option').first()).toBeVisible();
  await keys.focus();
  for (const key of ['Home', '1', 'End', '3']) await keys.press(key);
  await expect(bench.view.getByRole('region', { name: 'Example item' })).toBeVisible();
  await look.at('build-mapping');
  for (const step of ['preview', 'dataset']) {
    await bench.view.getByRole('button', { name: `Next: ${step}` }).click();
    await look.at(`build-${step}`);
  }
  await bench.view.getByRole('button', { name: 'Drafts', exact: true }).first().click();
  await look.at('builds');
}

async function lookAtMonitoring(page: Page, look: Look): Promise<void> {
  const monitoring = new MonitoringPage(page);
  await openPlace(page, 'Alert rules');
  await monitoring.part('Latest alerts');
  await expect(monitoring.row('Latest alerts', 'Traffic drops').getByRole('img')).toBeVisible();
  await look.at('alerts-fired');
  await monitoring.part('Rules');
  await monitoring.row('Alert rules', 'Traffic drops').dblclick();
  await monitoring.describeWhole();
  await monitoring.chart.focus();
  for (const key of ['End', 'Enter']) await page.keyboard.press(key);
  await look.at('alert-timeline');
  await monitoring.button('Edit').click();
  await monitoring.describeWhole();
  await look.at('alert-edit');
  await page.keyboard.press('Control+w');
  await openPlace(page, 'Boards');
  await monitoring.pick('Board', /^Card fraud/);
  const traffic = monitoring.view.getByRole('slider', { name: 'Time in Traffic', exact: true });
  await traffic.press('End');
  await look.at('board');
  await monitoring.button('Edit Traffic').click();
  await look.at('board-form');
  await page.keyboard.press('Escape');
  await openPlace(page, 'Charts');
  await monitoring.button('New chart').first().click();
  await monitoring.pick('Model', /Card fraud/);
  await monitoring.addMetric(/^Traffic/);
  await expect(monitoring.chart).toBeVisible();
  await look.at('chart');
  await monitoring.button('Table').click();
  await look.at('chart-table');
}

for (const theme of ['light', 'dark'] satisfies Theme[]) {
  const tag = theme === 'dark' ? [PICTURES_ONLY] : [];
  test(`spans to a dataset, charts and alerts, ${theme}`, { tag }, async ({ launch, service }, testInfo) => {
    test.slow();
    const { page } = await launch();
    await page.emulateMedia({ colorScheme: theme });
    await new WelcomePage(page).connect.click();
    await new ConnectionPage(page).connectTo(service);
    const look = new Look(page, theme, testInfo, theme === 'light' ? SIZES : USUAL);
    await lookAtSpans(page, look);
    await lookAtMonitoring(page, look);
  });
}
