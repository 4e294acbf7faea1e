/**
 * Looks at spans until they become a dataset, a trace, a chart and an alert timeline: screenshots, axe, nothing is cut
 * off.
 */
import type { Page } from '@playwright/test';
import { Look, SIZES, type Theme, USUAL } from '../helpers/look.ts';
import { MonitoringPage } from '../helpers/monitoring-pages.ts';
import { ConnectionPage, WelcomePage, Workbench } from '../helpers/pages.ts';
import { openPlace } from '../helpers/places.ts';
import { expect, test } from '../helpers/product.ts';
import { PICTURES_ONLY } from '../helpers/tours.ts';

/** Looks at the sessions, at one session, and at a time range that is drawn over the sessions and the spans. */
async function lookAtSessions(page: Page, look: Look): Promise<void> {
  const bench = new Workbench(page);
  await bench.view.getByRole('tab', { name: 'Sessions' }).click();
  await expect(bench.rows(/^Sessions of/).first()).toBeVisible();
  await look.at('sessions');
  const histogram = bench.view.getByRole('group', { name: /^Histogram of Spans started/ });
  await histogram.focus();
  for (const key of ['End', 'Shift+ArrowLeft', 'Shift+ArrowLeft', 'Enter']) await page.keyboard.press(key);
  await expect(bench.view.getByRole('button', { name: /^Remove Spans started/ })).toBeVisible();
  await look.at('sessions-times');
  await bench
    .rows(/^Sessions of/)
    .first()
    .dblclick();
  await expect(bench.view.getByRole('group', { name: 'Conversation of the session' })).toBeVisible();
  await look.at('session');
  await page.keyboard.press('Control+w');
  await bench.view.getByRole('tab', { name: /^Spans/ }).click();
  await look.at('spans-times');
  await bench.view.getByRole('button', { name: /^Remove Start/ }).click();
}

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
  await lookAtSessions(page, look);
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

/** Looks at the scores of a dataset: none yet, the form, and the result of a run. */
async function lookAtScores(page: Page, look: Look): Promise<void> {
  const bench = new Workbench(page);
  await openPlace(page, 'Datasets');
  await bench.row('Datasets', 'Claims triage, edge cases').dblclick();
  await bench.view.getByRole('tab', { name: /^Scores/ }).click();
  await look.at('scores-empty');
  await bench.view.getByRole('button', { name: 'Score items…' }).click();
  await new MonitoringPage(page).pick('Evaluator', /^answer_relevance/);
  await bench.view.getByRole('textbox', { name: 'Parameters' }).fill('{"model": "m", "credential": "c"}');
  await look.at('scores-form');
  await bench.view.getByRole('button', { name: /^Score [\d,]+ items?$/ }).click();
  const result = bench.view.getByRole('region', { name: 'Result', exact: true });
  await expect(result.getByRole('table', { name: 'Labels' })).toBeVisible();
  await look.at('scores');
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
    await lookAtScores(page, look);
    await lookAtMonitoring(page, look);
  });
}
