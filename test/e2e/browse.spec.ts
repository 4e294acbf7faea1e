/** Content that was read before remains readable without the service, shows its age, and is refreshed automatically. */
import type { Page } from '@playwright/test';
import { ConnectionPage, WelcomePage, Workbench } from '../helpers/pages.ts';
import { expect, expectClean, type Judged, test } from '../helpers/product.ts';

const AS_OF = /offline · as of (\w{3} )?\d{2}:\d{2}/;
const SEARCHED = 'language';

/** The report of the sample service that runs within the application and is restarted with it. */
async function sampleReport(page: Page): Promise<Judged> {
  const baseUrl = await page.evaluate(async () => {
    const answer = await window.spandeck?.invoke('connections:list', undefined);
    return (answer as { value: { connections: { baseUrl: string }[] } }).value.connections[0]?.baseUrl;
  });
  return (await (await fetch(`${baseUrl}/__sample/report`)).json()) as Judged;
}

/** Opens every view that reads from the service, and returns the content of each. */
async function walk(bench: Workbench): Promise<Record<string, string>> {
  const { view } = bench;
  const seen: Record<string, string> = {};
  await bench.row('Applications', 'Support assistant').dblclick();
  const box = view.getByRole('textbox', { name: 'Filter the loaded entities' });
  await box.fill(SEARCHED);
  await box.press('Enter');
  await expect(view.getByRole('button', { name: `Remove search ${SEARCHED}` })).toBeVisible();
  await view.getByRole('button', { name: 'Unmapped attributes' }).click();
  await bench.expectAge(/live/);
  const entity = bench.rowAt('Entities of Support assistant', 1);
  await expect(entity).toContainText(SEARCHED);
  await expect(entity).toContainText('UNKNOWN');
  seen['Support assistant'] = await entity.innerText();

  const name = await entity.getByRole('gridcell').first().innerText();
  await entity.dblclick();
  await expect(bench.heading).toHaveText(name);
  await bench.expectAge(/live/);
  seen[name] = await bench.rowAt(`Values of ${name}`, 1).innerText();

  await bench.go('Datasets');
  await bench.expectAge(/live/);
  await bench.row('Datasets', 'Support answers, golden set').dblclick();
  await expect(view.getByRole('tab', { name: 'Schema 12' })).toBeVisible();
  await bench.expectAge(/live/);
  // The panel can cover the middle of a row. A click there would scroll the list horizontally, and a new window does
  // not restore that.
  await bench
    .rowAt(/^Items of/, 1)
    .getByRole('gridcell')
    .first()
    .click();
  await expect(bench.inspector.getByRole('group', { name: 'Expected outputs', exact: true })).toContainText(
    'answer',
  );
  seen['Support answers, golden set'] = await bench.rowAt(/^Items of/, 1).innerText();
  // The first complete reading of the items creates the first version.
  await bench.tab('Datasets').click();
  await expect(bench.rowAt('Datasets', 1)).toContainText('1 version · v1');
  seen['Datasets'] = await bench.rowAt('Datasets', 1).innerText();
  await bench.tab('Support answers, golden set').click();
  return seen;
}

/** Expects that every tab shows its earlier content, and that the content is not current. */
async function expectAllStored(bench: Workbench, seen: Record<string, string>): Promise<void> {
  for (const [title, text] of Object.entries(seen)) {
    await bench.tab(title).click();
    await expect(bench.heading).toHaveText(title);
    await expect(bench.rowAt(/./, 1).first()).toHaveText(text, { useInnerText: true });
    await bench.expectAge(AS_OF);
  }
}

test('keeps the content of the sample workspace without the service, and refreshes when it is back', async ({
  spandeck: { page },
}) => {
  const bench = new Workbench(page);
  await new WelcomePage(page).enterSample();
  const seen = await walk(bench);

  await test.step('shows the schema of a dataset', async () => {
    await bench.view.getByRole('tab', { name: /^Schema/ }).click();
    await expect(bench.view.getByRole('region', { name: 'Expected outputs' })).toContainText('answer');
    // On a busy computer, the schema may have been read more than a minute ago.
    await page.keyboard.press('Control+r');
    await bench.expectAge(/live/);
    await bench.view.getByRole('tab', { name: /^Items/ }).click();
  });

  expectClean(await sampleReport(page));
  await bench.fromConnectionMenu('Stop the sample service');
  await expect(bench.status).toContainText('sample service stopped');
  await page.keyboard.press('Control+r');
  await bench.expectAge(AS_OF);
  await expectAllStored(bench, seen);

  await test.step('a reloaded window shows the same', async () => {
    await page.reload();
    await expectAllStored(bench, seen);
  });

  // A list whose refresh failed is read again. The other lists are not, until they are as old as the setting says.
  await bench.tab('Support answers, golden set').click();
  await bench.fromConnectionMenu('Start the sample service');
  await bench.expectBack();
  await expect(bench.status).toContainText('online');
  const asked = async () => (await sampleReport(page)).operations?.['datasets.items']?.requests ?? 0;
  await expect.poll(asked).toBeGreaterThan(0);
  expectClean(await sampleReport(page));
});

test('stops all requests by the offline switch without hiding content, and opens cached lists after a start without the service', async ({
  launch,
  service,
}) => {
  const first = await launch();
  const online = new Workbench(first.page);
  await new WelcomePage(first.page).connect.click();
  await new ConnectionPage(first.page).connectTo(service);
  const seen = await walk(online);

  await test.step('toggles offline work by the switch', async () => {
    await online.offlineSwitch.click();
    await expect(online.offlineSwitch).toBeChecked();
    await online.expectQuiet();
    const before = service.now.report().requests;
    await expectAllStored(online, seen);
    await first.page.keyboard.press('Control+r');
    await expect(online.view.getByRole('alert')).toHaveCount(0);
    await first.page.keyboard.press('Control+k');
    await expect(first.page.getByRole('combobox', { name: 'Search everything' })).toBeFocused();
    await first.page.keyboard.type('go to attributes');
    await first.page.keyboard.press('Enter');
    await expect(online.view).toContainText('These attributes are not available offline');
    expect(service.now.report().requests).toBe(before);
    await online.view.getByRole('button', { name: 'Go online' }).click();
    await online.expectAge(/live/);
    await expect(online.offlineSwitch).not.toBeChecked();
  });

  await online.tab('Support answers, golden set').click();
  await first.close();
  await service.stop();
  const { page } = await launch();
  const bench = new Workbench(page);
  await expect(bench.heading).toHaveText('Support answers, golden set');
  await page.keyboard.press('Control+r');
  await expectAllStored(bench, seen);

  await service.start();
  await bench.expectBack();
  expect(service.now.report().requests).toBeGreaterThan(0);
});
