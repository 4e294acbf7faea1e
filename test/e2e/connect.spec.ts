/**
 * Connections: the token is stored in the keychain and removed from it, and the connection test has a message for each
 * problem.
 */
import * as fs from 'node:fs';
import type { Page } from '@playwright/test';
import keytar from 'keytar';
import { entryText } from '../../electron/connections/keychain-entry.ts';
import { findInFiles } from '../helpers/find-text.ts';
import { churnCsv } from '../helpers/make-files.ts';
import { ConnectionPage, WelcomePage, Workbench } from '../helpers/pages.ts';
import { expect, test } from '../helpers/product.ts';
import { dropFiles, UploadPage } from '../helpers/upload-pages.ts';

const KEYCHAIN_SERVICE = 'Spandeck';
const NO_SECRET_SERVICE = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent/bus' };

async function connectionId(page: Page): Promise<string> {
  const id = await page.evaluate(async () => {
    const answer = await window.spandeck?.invoke('connections:list', undefined);
    return (answer as { value: { activeId: string | null } }).value.activeId;
  });
  expect(id).not.toBeNull();
  return id ?? '';
}

test('stores the token in the keychain, and is connected after a restart', async ({ launch, service }) => {
  const first = await launch();
  await new WelcomePage(first.page).connect.click();
  const form = new ConnectionPage(first.page);
  await expect(form.inKeychain).toBeChecked();
  await form.fill({ name: 'Test service', baseUrl: service.baseUrl, token: service.token });
  await form.test.click();
  await expect(form.result).toContainText('Connected');
  await form.connect.click();
  await new Workbench(first.page).leaveStart();
  await expect(new Workbench(first.page).row('Applications', 'Support assistant')).toBeVisible();
  const id = await connectionId(first.page);
  expect(await keytar.getPassword(KEYCHAIN_SERVICE, id)).toBe(entryText(service.baseUrl, service.token));
  await first.close();

  const before = service.now.report().requests;
  const second = await launch();
  const bench = new Workbench(second.page);
  // The attributes have not been read before.
  await bench.go('Attributes');
  await bench.expectAge(/live/);
  expect(service.now.report().requests).toBeGreaterThan(before);
  await bench.fromConnectionMenu('Edit this connection…');
  const saved = new ConnectionPage(second.page);
  await expect(saved.form).toContainText(`••••${service.token.slice(-4)}`);
  await expect(saved.form).not.toContainText(service.token.slice(0, -4));
  await keytar.deletePassword(KEYCHAIN_SERVICE, id);
});

test('distinguishes obstacles in the connection test, each with a next step', async ({ shared, service }) => {
  const form = new ConnectionPage(shared.page);
  await new WelcomePage(shared.page).connect.click();
  const expectFinding = async (title: string, nextStep: RegExp): Promise<void> => {
    await form.test.click();
    await expect(form.result).toContainText(title);
    await expect(form.result).toHaveText(new RegExp(`Next: .*${nextStep.source}`));
  };

  await form.fill({ name: 'Test service', baseUrl: service.baseUrl, token: 'not-the-token' });
  await expectFinding('Token not accepted', /Check that the whole token was pasted/);
  await form.token.fill(service.token);
  await form.baseUrl.fill('http://127.0.0.1:1');
  await expectFinding('Connection refused', /\S/);
  await form.baseUrl.fill('http://example.invalid');
  await expectFinding('Not encrypted', /Use https/);
  await form.baseUrl.fill(service.baseUrl);
  service.now.setFaults([{ action: { type: 'html' } }]);
  await expectFinding('Not this service', /\S/);
  service.now.setFaults([{ action: { type: 'truncated-json' } }]);
  await expectFinding('Unexpected answer', /Try again/);
  service.now.setFaults([{ action: { type: 'api-version', version: '4.1' } }]);
  await expectFinding('Connected, other interface version', /newer Spandeck/);
  await expect(form.result).toContainText('4.1');
  service.now.setFaults([]);
  await form.test.click();
  await expect(form.result.getByText('Connected', { exact: true })).toBeVisible();
  await expect(shared.page.getByRole('alert')).toHaveCount(0);
  await form.connect.click();
  await expect(form.sections).toBeVisible();
});

test('reports a missing keychain before saving, and works in this session', async ({ launch, service }) => {
  const first = await launch({ env: NO_SECRET_SERVICE });
  await new WelcomePage(first.page).connect.click();
  const form = new ConnectionPage(first.page);
  await expect(form.form.getByRole('note')).toContainText('No keychain on this computer.');
  await expect(form.inKeychain).toBeDisabled();
  await expect(form.thisSession).toBeChecked();
  await form.connectTo(service);
  const bench = new Workbench(first.page);
  await bench.row('Applications', 'Support assistant').dblclick();
  await expect(bench.rowAt('Entities of Support assistant', 1)).toBeVisible();
  // All requests must have ended, as otherwise the next start would ask for a token automatically.
  await bench.expectAge(/live$/);
  await bench.go('Datasets');
  await bench.expectAge(/live$/);
  await expect(bench.rowAt('Datasets', 1)).toContainText('items');
  await expect(bench.rows('Datasets').filter({ hasNotText: /item/ })).toHaveCount(0);
  await first.close();
  expect(findInFiles(first.dataDir, [service.token])).toEqual([]);

  const second = await launch({ env: NO_SECRET_SERVICE });
  const again = new Workbench(second.page);
  await again.tab('Support assistant').click();
  await expect(again.rowAt('Entities of Support assistant', 1)).toBeVisible();
  await again.view.getByRole('button', { name: 'Refresh', exact: true }).click();
  const asked = second.page.getByRole('dialog', { name: 'Token required' });
  await asked.getByRole('button', { name: 'Not now' }).click();
  await expect(again.status).toContainText('token not accepted');
  await expect(again.rowAt('Entities of Support assistant', 1)).toBeVisible();
});

test('leaves no byte of the token or the rows of a removed connection', async ({ launch, service }) => {
  const { app, page, dataDir, close } = await launch({ hasSampleFile: false });
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service, 'To be forgotten');
  const bench = new Workbench(page);
  await bench.row('Applications', 'Support assistant').dblclick();
  const entity = await bench
    .rowAt(/^Entities of/, 1)
    .getByRole('gridcell')
    .first()
    .innerText();
  await bench.go('Datasets');
  await bench.row('Datasets', 'Support answers, golden set').dblclick();
  await bench.rowAt(/^Items of/, 1).click();
  const item = (await bench.inspector.locator('[data-field="inputs.question"]').innerText()).trim();
  expect(item.length).toBeGreaterThan(10);
  const id = await connectionId(page);
  expect(await keytar.getPassword(KEYCHAIN_SERVICE, id)).toBe(entryText(service.baseUrl, service.token));
  const texts = [service.token, 'Support assistant', 'Support answers, golden set', entity, item];
  // The texts exist before the removal, so the search can find them.
  expect(findInFiles(dataDir, texts).map((line) => line.split(': ')[1])).toEqual(
    expect.arrayContaining([entity, item]),
  );

  await bench.fromConnectionMenu('Edit this connection…');
  await new ConnectionPage(page).form.getByRole('button', { name: 'Forget…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Forget To be forgotten' });
  const forget = dialog.getByRole('button', { name: 'Forget To be forgotten' });
  await expect(forget).toBeDisabled();
  await dialog.getByRole('textbox', { name: 'Type To be forgotten to continue' }).fill('To be forgotten');
  await forget.click();
  await expect(new WelcomePage(page).connect).toBeVisible();
  expect(await keytar.getPassword(KEYCHAIN_SERVICE, id)).toBeNull();
  const main = app.process();
  await close();
  expect(main.exitCode).toBe(0);
  expect(findInFiles(dataDir, [...texts, 'To be forgotten'])).toEqual([]);
});

test('asks once for a new token if the current one is rejected, and continues waiting requests with it', async ({
  shared,
  service,
}, testInfo) => {
  const { page } = shared;
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  const bench = new Workbench(page);
  await expect(bench.row('Applications', 'Support assistant')).toBeVisible();
  const file = testInfo.outputPath('churn.csv');
  fs.writeFileSync(file, churnCsv(300));
  await dropFiles(page, [file]);
  const upload = new UploadPage(page);
  await upload.checkFor('Bank churn');
  await service.replaceToken();

  await upload.button('Next: send').click();
  await upload.button('Send 300 rows').click();
  await upload.startNow();
  const dialog = page.getByRole('dialog', { name: 'The service does not accept the token' });
  await expect(dialog).toBeVisible();
  await page.evaluate(async () => {
    const list = await window.spandeck?.invoke('connections:list', undefined);
    const connectionId = (list as { value: { activeId: string } }).value.activeId;
    const ask = (operation: string, index: number) => {
      const query = { operation, path: {}, query: {} };
      const viewId = `${operation} ${index}`;
      const view = { connectionId, viewId, query, refresh: 'always' };
      return window.spandeck?.invoke('library:open-list', view);
    };
    const operations = ['applications.list', 'datasets.list', 'projects.list', 'models.list'];
    await Promise.all(
      operations.flatMap((name) => Array.from({ length: 10 }, (_, index) => ask(name, index))),
    );
  });
  await expect(page.getByRole('dialog')).toHaveCount(1);
  expect(service.now.report().missingCredentials).toBeLessThanOrEqual(2);

  const field = dialog.getByLabel('New access token');
  await expect(field).toBeFocused();
  await field.fill('not-the-token-either');
  await field.press('Enter');
  await expect(dialog.getByRole('alert')).toContainText('Token not accepted');
  await expect(field).toHaveValue('');
  await field.fill(service.token);
  await field.press('Enter');
  await expect(dialog).toBeHidden();
  await upload.expectDone();
  const { missingCredentials, operations } = service.now.report();
  expect(missingCredentials).toBeLessThanOrEqual(3);
  expect(operations['events.publish']?.statuses['200'] ?? operations['events.publish']?.statuses['202']).toBe(
    1,
  );
  await bench.go('Datasets');
  await bench.expectAge(/live/);
  await expect(page.getByRole('dialog')).toHaveCount(0);
  expect(await page.content()).not.toContain(service.token);
});
