/**
 * Looks at states that the other look tests do not cover: comparison, undo, search, a service without answers,
 * archives, workbooks, dialogs.
 */
import * as fs from 'node:fs';
import type { Page, TestInfo } from '@playwright/test';
import { Look, SIZES, type Theme, USUAL } from '../helpers/look.ts';
import { churnCsv } from '../helpers/make-files.ts';
import { MonitoringPage } from '../helpers/monitoring-pages.ts';
import { ConnectionPage, WelcomePage, Workbench } from '../helpers/pages.ts';
import { openPlace, openPlaceToStay } from '../helpers/places.ts';
import { expect, type TestService, test } from '../helpers/product.ts';
import { PICTURES_ONLY } from '../helpers/tours.ts';
import { dropFiles, UploadPage } from '../helpers/upload-pages.ts';
import { workbook, zipFile } from '../helpers/zip-file.ts';

type LookAt = (name: string) => Promise<void>;

async function runCommand(page: Page, title: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search everything' }).fill(title);
  await page.getByRole('option', { name: title }).first().click();
}

async function lookAtFiles(page: Page, look: LookAt, testInfo: TestInfo): Promise<void> {
  const bench = new Workbench(page);
  const upload = new UploadPage(page);
  await bench.go('Uploads');
  const archive = testInfo.outputPath('march.zip');
  fs.writeFileSync(archive, zipFile({ 'week-1/churn.csv': churnCsv(40), 'week-2/churn.csv': churnCsv(30) }));
  const book = testInfo.outputPath('book.xlsx');
  const rows = [
    ['id', 'day', 'note'],
    [1, '#45292', 'first'],
    [2, '#45293', 'second'],
  ];
  fs.writeFileSync(book, workbook({ Trips: rows, More: rows }));
  await dropFiles(page, [archive]);
  await expect(upload.preview).toBeVisible();
  await look('upload-archive');
  await bench.go('Uploads');
  await look('uploads-archive');
  await dropFiles(page, [book]);
  await expect(upload.preview).toBeVisible();
  await look('upload-sheets');
}

async function lookAtUndo(page: Page, service: TestService, look: LookAt, testInfo: TestInfo): Promise<void> {
  const bench = new Workbench(page);
  const upload = new UploadPage(page);
  await bench.go('Uploads');
  const source = testInfo.outputPath('bank_churn.csv');
  fs.writeFileSync(source, churnCsv(2_500));
  await dropFiles(page, [source]);
  await expect(upload.preview).toBeVisible();
  await upload.button('Next: columns').click();
  await upload.chooseModel('Bank churn');
  await look('upload-mapping');
  await upload.showOptions();
  await look('upload-options');
  await upload.button('Next: send').click();
  await upload.button('Send 2,500 rows').click();
  await upload.startNow();
  await upload.button('Undo…').click();
  const panel = page.getByRole('complementary', { name: 'Undo this upload' });
  await expect(panel.getByText('Verification')).toBeVisible();
  await look('upload-undo');
  // This service does not report on its deletion tasks. It accepts them, and only its row counts show their result.
  service.now.setStrict(true);
  await panel.getByRole('textbox', { name: 'Name of the model' }).fill('Bank churn');
  await panel.getByRole('button', { name: 'Delete 2,500 events' }).click();
  await expect(panel).toContainText('does not report when they are done');
  await look('upload-undo-accepted');
  await panel.getByRole('button', { name: 'Open deletions' }).click();
  await expect(bench.view).toContainText('does not report when it is done');
  await look('deletions-accepted');
  await openPlace(page, 'Uploads');
  await look('uploads-undo-accepted');
  service.now.setStrict(false);
  await openPlace(page, 'Jobs');
  await look('my-jobs');
}

async function lookAtMonitoring(page: Page, look: LookAt): Promise<void> {
  const monitoring = new MonitoringPage(page);
  await openPlace(page, 'Charts');
  await monitoring.button('New chart').first().click();
  await monitoring.pick('Model', /Card fraud/);
  await monitoring.addMetric(/^Traffic/);
  await monitoring.view.getByRole('combobox', { name: 'Compared with' }).selectOption('Previous Week');
  await monitoring.describeWhole();
  await look('chart-compared');
  await openPlace(page, 'Alert rules');
  await monitoring.button('New alert rule').first().click();
  const form = monitoring.view.getByRole('form', { name: 'New alert rule' });
  await form.getByRole('textbox', { name: 'Name' }).fill('Traffic drops');
  await monitoring.pick('In Model', /Card fraud/);
  await form.getByRole('combobox', { name: 'Metric' }).fill('Traffic');
  await page
    .getByRole('option', { name: /^Traffic/ })
    .first()
    .click();
  await form.getByRole('textbox', { name: 'Critical threshold' }).fill('5000');
  await look('rule-form');
}

async function lookAtExperiments(page: Page, look: LookAt): Promise<void> {
  const bench = new Workbench(page);
  await openPlace(page, 'Experiments');
  await look('experiments');
  await bench.row('Experiments', 'Triage rules 2.2').dblclick();
  await expect(bench.heading).toHaveText('Triage rules 2.2');
  await look('experiment');
  await bench.view.getByRole('combobox', { name: 'Compare with' }).selectOption('Triage rules 2.1');
  const scores = bench.view.getByRole('region', { name: 'Compared scores' });
  await expect(scores).toContainText('320 items');
  await expect(bench.heading).toHaveText('Triage rules 2.1 · Triage rules 2.2');
  await expect(bench.rowAt('Compared items', 1)).toContainText(/\w/);
  await look('comparison');
}

async function lookAtSearch(page: Page, look: LookAt): Promise<void> {
  const bench = new Workbench(page);
  await openPlace(page, 'Search');
  await bench.view.getByRole('searchbox').or(bench.view.getByRole('combobox')).first().fill('support');
  await expect(bench.view).toContainText('Support assistant');
  await look('search-found');
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('dialog').getByRole('option').first()).toBeVisible();
  await look('palette-empty');
  await page.keyboard.press('Escape');
  await runCommand(page, 'About Spandeck');
  await expect(page.getByRole('dialog')).toBeVisible();
  await look('about');
  await page.keyboard.press('Escape');
}

async function lookAtSilence(page: Page, service: TestService, look: LookAt): Promise<void> {
  const bench = new Workbench(page);
  service.now.setFaults([{ match: { operation: 'models.list' }, action: { type: 'hang' } }]);
  await openPlaceToStay(page, 'Models');
  await page.keyboard.press('Control+r');
  await bench.go('Requests');
  await expect(bench.status).toContainText('no answer for');
  await look('traffic-silent');
  service.now.setFaults([]);
}

/** Accepted deletions remain in that state during the test. */
test.use({ serviceOptions: { settings: { jobRunMs: 3_600_000 } } });

for (const theme of ['light', 'dark'] satisfies Theme[]) {
  const tag = theme === 'dark' ? [PICTURES_ONLY] : [];
  test(`intermediate states, ${theme}`, { tag }, async ({ launch, service }, testInfo) => {
    test.slow();
    const { page } = await launch();
    await page.emulateMedia({ colorScheme: theme });
    const looker = new Look(page, theme, testInfo, theme === 'light' ? USUAL : SIZES);
    const look: LookAt = (name) => looker.at(name, { asksAxe: theme === 'dark' });
    await new WelcomePage(page).connect.click();
    const form = new ConnectionPage(page);
    await form.fill({ name: 'Test service', baseUrl: service.baseUrl, token: service.token });
    await form.test.click();
    await expect(form.result).toContainText('Connected');
    await look('connection-tested');
    await form.connectTo(service);
    await lookAtFiles(page, look, testInfo);
    await lookAtUndo(page, service, look, testInfo);
    await lookAtMonitoring(page, look);
    await lookAtExperiments(page, look);
    await lookAtSearch(page, look);
    await lookAtSilence(page, service, look);
  });
}
