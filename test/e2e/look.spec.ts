/**
 * Flows and floating elements in light and dark: no serious violation in the accessibility checker, and screenshots to
 * inspect.
 */
import * as fs from 'node:fs';
import type { Page, TestInfo } from '@playwright/test';
import { Look, SIZES, type Theme, USUAL } from '../helpers/look.ts';
import { churnCsv } from '../helpers/make-files.ts';
import { ConnectionPage, WelcomePage, Workbench } from '../helpers/pages.ts';
import { openPlace } from '../helpers/places.ts';
import { expect, type TestService, test } from '../helpers/product.ts';
import { PICTURES_ONLY } from '../helpers/tours.ts';
import { dropFiles, UploadPage } from '../helpers/upload-pages.ts';

type LookAt = (name: string) => Promise<void>;

async function lookAtReading(page: Page, look: LookAt): Promise<void> {
  const bench = new Workbench(page);
  await expect(bench.row('Applications', 'Support assistant')).toBeVisible();
  await bench.row('Applications', 'Support assistant').dblclick();
  const box = bench.view.getByRole('textbox', { name: 'Filter the loaded entities' });
  await box.fill('language');
  await box.press('Enter');
  await expect(bench.view.getByRole('button', { name: 'Remove search language' })).toBeVisible();
  await bench.view.getByRole('button', { name: 'Unmapped attributes' }).click();
  await expect(bench.rows(/^Entities of/).first()).toContainText('UNKNOWN');
  await look('catalog-entities');
  const profiles = bench.view.getByRole('button', { name: 'Profiles', exact: true });
  await profiles.click();
  await expect(bench.view.getByRole('group', { name: 'Values of Data type' })).toBeVisible();
  await look('catalog-profiles');
  await profiles.click();
  await bench.age.click();
  await expect(page.getByRole('dialog', { name: 'Receipt' })).toBeVisible();
  await look('catalog-receipt');
  await page.keyboard.press('Escape');
  await bench
    .rows(/^Entities of/)
    .first()
    .dblclick();
  await expect(bench.rows(/^Values of/).first()).toBeVisible();
  await look('values');
  await bench.go('Datasets');
  await expect(bench.rows('Datasets').first()).toBeVisible();
  await bench.row('Datasets', 'Support answers, golden set').dblclick();
  await bench
    .rows(/^Items of/)
    .first()
    .click();
  await expect(bench.inspector.getByRole('group', { name: 'Inputs', exact: true })).toBeVisible();
  await look('dataset-items');
  await openPlace(page, 'SQL');
  await bench.view
    .getByRole('textbox', { name: 'SQL' })
    .fill('SELECT data_type, count(*) AS n\nFROM entities GROUP BY 1 ORDER BY 2 DESC');
  await page.keyboard.press('Control+Enter');
  await expect(bench.rows('Result').first()).toBeVisible();
  await look('sql-result');
}

async function lookAtUploads(
  page: Page,
  service: TestService,
  look: LookAt,
  testInfo: TestInfo,
): Promise<void> {
  const bench = new Workbench(page);
  const upload = new UploadPage(page);
  await bench.go('Uploads');
  const source = testInfo.outputPath('bank_churn.csv');
  fs.writeFileSync(source, churnCsv(3_000).replace(/\n\d+,/, '\nforty,'));
  const folder = testInfo.outputPath('exports');
  fs.mkdirSync(folder);
  for (const month of ['2026-09', '2026-10'])
    fs.writeFileSync(`${folder}/churn scores of all branches ${month}.csv`, churnCsv(300));
  fs.writeFileSync(`${folder}/notes.pdf`, '%PDF-1.7');
  await dropFiles(page, [source, folder]);
  await bench.tab('bank_churn.csv').click();
  await expect(upload.preview).toBeVisible();
  await look('upload-file');
  await expect(upload.preview.getByRole('group', { name: 'Values of Age', exact: true })).toBeVisible();
  await look('upload-profiles');
  await upload.button('Next: columns').click();
  await upload.chooseModel('Bank churn');
  await upload.showColumns();
  await look('upload-mapping');
  await upload.view.getByRole('radio', { name: /^Rows and problems/ }).check();
  await expect(upload.badRows.getByRole('gridcell').first()).toBeVisible();
  await look('upload-check');
  await upload.button('Skip 1 bad row').click();
  await upload.button('Next: send').click();
  await look('upload-send');
  service.now.setFaults([
    { match: { operation: 'events.publish' }, after: 2, times: 1, action: { type: 'drop-after' } },
  ]);
  await upload.button('Send 2,999 rows').click();
  await upload.startNow();
  await expect(upload.view.getByText('Decision needed')).toBeVisible();
  await expect(upload.batch(2)).toContainText('Probably stored');
  await look('upload-job');
  await upload.button('Cancel').click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await look('upload-cancel');
  await page.keyboard.press('Escape');
  await bench.go('Uploads');
  await look('uploads');
  await upload.button('Delete events…').click();
  await expect(bench.heading).toHaveText('Deletions');
  await look('delete-events');
}

async function lookAround(page: Page, look: LookAt): Promise<void> {
  const bench = new Workbench(page);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search everything' }).fill('go');
  await expect(page.getByRole('option').first()).toBeVisible();
  await look('palette');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await bench.view.focus();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  await look('shortcuts');
  await page.keyboard.press('Escape');
  await bench.fromConnectionMenu('Edit this connection…');
  await expect(new ConnectionPage(page).form).toBeVisible();
  await look('connection');
  await page.getByRole('button', { name: 'Forget…' }).click();
  await expect(page.getByRole('dialog', { name: /^Forget/ })).toBeVisible();
  await look('connection-forget');
  await page.keyboard.press('Escape');
}

for (const theme of ['light', 'dark'] satisfies Theme[]) {
  const tag = theme === 'dark' ? [PICTURES_ONLY] : [];
  test(`flows and floating elements, ${theme}`, { tag }, async ({ launch, service }, testInfo) => {
    test.slow();
    const { page } = await launch();
    await page.emulateMedia({ colorScheme: theme });
    const looker = new Look(page, theme, testInfo, theme === 'light' ? SIZES : USUAL);
    const look: LookAt = (name) => looker.at(name);
    await expect(new WelcomePage(page).connect).toBeVisible();
    await look('welcome');
    await new WelcomePage(page).connect.click();
    const form = new ConnectionPage(page);
    await form.fill({ name: 'Test service', baseUrl: 'http://127.0.0.1:1', token: 'token-of-the-form' });
    await form.test.click();
    await expect(form.result).toContainText('Connection refused');
    await look('connect');
    await form.connectTo(service);
    await lookAtReading(page, look);
    await lookAtUploads(page, service, look, testInfo);
    await lookAround(page, look);
  });
}
