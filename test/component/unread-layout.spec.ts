/** A connection whose layout could not be read: nothing of it is overwritten, and it is restored when it can be read. */
import type { Page } from '@playwright/test';
import { openPlace } from '../helpers/places.ts';
import { CONNECTION_ID, type FakeWindow } from './fake-main/scenario.ts';
import { callsOf, expect, test } from './fixtures.ts';
import { openBaselines } from './resource-steps.ts';

const VIEW = {
  ...{ id: 'v', name: 'Slow spans', kind: 'datasets', title: 'Datasets', params: {}, grid: null },
  ...{ isStarred: true, savedAtMs: 1 },
};
const layout = {
  tabs: {
    list: [
      { id: '1', kind: 'datasets', title: 'Datasets', params: {} },
      { id: '2', kind: 'jobs', title: 'Jobs', params: {} },
    ],
    activeId: '2',
  },
  views: [VIEW],
};
const strip = (page: Page) => page.getByRole('tablist', { name: 'Open tabs', exact: true });
const readNow = (page: Page) =>
  page.evaluate((connectionId) => {
    const fake = globalThis as unknown as FakeWindow;
    fake.isLayoutRead = true;
    fake.fakeEvent('connections:session-closed', { connectionId, isMoved: false });
  }, CONNECTION_ID);

test('says that it was not read, writes nothing, and restores tabs and views later beside those opened meanwhile', async ({
  open,
}) => {
  const page = await open({ layout, isLayoutUnread: true });
  await expect(
    page.getByText('Tabs, saved views and charts of this connection could not be read'),
  ).toBeVisible();
  await openPlace(page, 'Datasets');
  await page.getByRole('button', { name: 'Views', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Save this view…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('All');
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText(/could not be read, so nothing is added to it/)).toBeVisible();
  await page.keyboard.press('Escape');
  await openPlace(page, 'Spans');
  await page.evaluate(() => dispatchEvent(new Event('pagehide')));
  expect(await callsOf(page, 'layout:write')).toEqual([]);

  await readNow(page);
  await expect(strip(page).getByRole('tab')).toHaveText([/Datasets/, /Jobs/, /Home/, /Spans/]);
  await expect(strip(page).getByRole('tab', { name: 'Spans' })).toHaveAttribute('aria-selected', 'true');
  await expect(page.getByRole('navigation').getByRole('button', { name: 'Slow spans' })).toBeVisible();
  await expect(page.getByText('Tabs, saved views and charts of this connection were read')).toBeVisible();
  const written = async () => {
    const calls = await callsOf(page, 'layout:write');
    return calls.findLast(({ argument }) => argument['key'] === 'tabs')?.argument['value'];
  };
  await expect.poll(written).toMatchObject({ list: [{ id: '1' }, { id: '2' }, {}, {}] });
});

test('keeps input typed before the layout could be read', async ({ open }) => {
  const page = await open({ layout, isLayoutUnread: true });
  await openBaselines(page);
  await page.getByRole('button', { name: 'New baseline' }).click();
  const name = page.getByRole('form', { name: 'New baseline' }).getByRole('textbox', { name: 'Name' });
  await name.fill('month');
  await readNow(page);
  await expect(strip(page).getByRole('tab', { name: 'Jobs' })).toBeVisible();
  await expect(name).toHaveValue('month');
  await expect(page.getByText(/^Restored draft from/)).toBeVisible();
});
