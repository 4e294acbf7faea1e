/**
 * Looks at offline content: whether it is complete by a certain time, and changed fields in the rows of its next
 * reading.
 */
import type { Page, TestInfo } from '@playwright/test';
import { Look, SIZES, type Theme } from '../helpers/look.ts';
import { ConnectionPage, WelcomePage, Workbench } from '../helpers/pages.ts';
import { openPlace } from '../helpers/places.ts';
import { expect, type TestService, test } from '../helpers/product.ts';
import { idOf } from '../helpers/span-pages.ts';
import { SpansInFile } from '../helpers/spans-service.ts';
import { PICTURES_ONLY } from '../helpers/tours.ts';

const APPLICATION = 'Support assistant';
const HOUR_MS = 3_600_000;

/**
 * Removes the generated spans of the application. Returns a function that adds new traces of one span each at the
 * service.
 */
async function newSpans(
  service: TestService,
  testInfo: TestInfo,
): Promise<(count: number, price: unknown, model?: string) => void> {
  const applicationId = await idOf(service, '/v3/applications', APPLICATION);
  const file = new SpansInFile(testInfo.outputPath('service', 'service.db'), applicationId);
  // The schema of spans is compared in the order of their times, and the generated spans may be newer.
  file.clear();
  const startMs = Date.now() - 2 * HOUR_MS;
  let at = 0;
  return (count, price, model) => {
    const spans = Array.from({ length: count }, () => {
      at += 1;
      const attributes = { 'own.price': price, ...(model === undefined ? {} : { 'own.model': model }) };
      return {
        trace_id: `own-trace-${at}`,
        span_id: `own-span-${at}`,
        start_time: new Date(startMs + at * 1_000).toISOString(),
        record: { name: 'Answer', span_type: 'own', span_attributes: attributes },
      };
    });
    file.add(spans);
  };
}

async function keep(page: Page): Promise<void> {
  const bench = new Workbench(page);
  await bench.row('Applications', APPLICATION).dblclick();
  await page.getByRole('main').getByRole('button', { name: 'Keep offline' }).click();
  const dialog = page.getByRole('dialog', { name: `Keep ${APPLICATION} offline` });
  const act = dialog.getByRole('button', { name: /^Keep offline, about/ });
  await expect(act).toBeEnabled();
  await act.click();
  await expect(dialog).toBeHidden();
  await openPlace(page, 'Offline library');
}

test.use({ serviceOptions: { limits: 'off' } });

for (const theme of ['light', 'dark'] satisfies Theme[]) {
  const tag = theme === 'dark' ? [PICTURES_ONLY] : [];
  test(`kept content and its schema, ${theme}`, { tag }, async ({ launch, service }, testInfo) => {
    test.slow();
    const add = await newSpans(service, testInfo);
    add(60, 12, 'small');
    const { page } = await launch();
    await page.emulateMedia({ colorScheme: theme });
    const bench = new Workbench(page);
    const looker = new Look(page, theme, testInfo, theme === 'light' ? SIZES : SIZES.toReversed());
    await new WelcomePage(page).connect.click();
    await new ConnectionPage(page).connectTo(service);
    await keep(page);
    const row = page.getByRole('row', { name: new RegExp(APPLICATION) });
    await expect(row).toContainText('rows, complete');

    await page.getByRole('button', { name: `More about ${APPLICATION}` }).click();
    await page.getByRole('menuitem', { name: 'Ready by…' }).click();
    const dialog = page.getByRole('dialog', { name: `Ready by: ${APPLICATION}` });
    await expect(dialog.getByRole('status')).toHaveText(/^Yes: /);
    await looker.at('ready-by');
    await dialog.getByLabel('Ready by').fill('2020-01-01T10:00');
    await expect(dialog.getByRole('status')).not.toHaveText(/^Yes: /);
    await looker.at('ready-by-refused');
    await dialog.getByRole('button', { name: 'Close' }).first().click();

    add(30, '12 €');
    await row.getByRole('button', { name: `Refresh ${APPLICATION}` }).click();
    await openPlace(page, 'Changes');
    const schema = page.getByRole('region', { name: 'Schema of new rows' });
    await expect(async () => {
      await page.keyboard.press('Control+r');
      await expect(schema.getByRole('listitem')).toHaveCount(2, { timeout: 1_000 });
    }).toPass();
    await looker.at('activity-schema');
    await openPlace(page, 'Home');
    await expect(schema.getByRole('listitem')).toHaveCount(2);
    await looker.at('home-schema');
    await schema.getByRole('button', { name: 'This is fine' }).first().click();
    await expect(schema.getByRole('listitem')).toHaveCount(1);
    await openPlace(page, 'Changes');
    await expect(schema).toContainText('accepted');
    await looker.at('activity-schema-accepted');
    await expect(bench.heading).toHaveText('Changes');
  });
}

for (const theme of ['light', 'dark'] satisfies Theme[]) {
  const tag = theme === 'dark' ? [PICTURES_ONLY] : [];
  test(`rows that are gone at the service, ${theme}`, { tag }, async ({ launch, service }, testInfo) => {
    test.slow();
    const { page } = await launch();
    await page.emulateMedia({ colorScheme: theme });
    const bench = new Workbench(page);
    const looker = new Look(page, theme, testInfo, theme === 'light' ? SIZES : SIZES.toReversed());
    await new WelcomePage(page).connect.click();
    await new ConnectionPage(page).connectTo(service);
    await keep(page);
    const row = page.getByRole('row', { name: new RegExp(APPLICATION) });
    await expect(row).toContainText('rows, complete');
    const id = await idOf(service, '/v3/applications', 'Claims triage agent');
    const deleted = await fetch(`${service.baseUrl}/v3/applications/${id}`, {
      ...{ method: 'DELETE', headers: { authorization: `Bearer ${service.token}` } },
    });
    expect(deleted.ok).toBe(true);
    await row.getByRole('button', { name: `Refresh ${APPLICATION}` }).click();
    await openPlace(page, 'Applications');
    const gone = bench.row('Applications', 'Claims triage agent');
    await expect(async () => {
      await page.keyboard.press('Control+r');
      await expect(gone).toContainText(/Gone \d+ \w+/, { timeout: 1_000 });
    }).toPass();
    await expect(bench.row('Applications', APPLICATION)).not.toContainText('Gone');
    await looker.at('gone-rows');
    const only = page.getByRole('main').getByRole('button', { name: '1 gone' });
    await only.click();
    await expect(bench.row('Applications', APPLICATION)).toBeHidden();
    await expect(gone).toBeVisible();
    await looker.at('only-gone-rows');
    await only.click();
    await expect(bench.row('Applications', APPLICATION)).toBeVisible();
  });
}
