/** Actions of the user between choosing a connection and restoring its tabs are not lost. */
import type { Page } from '@playwright/test';
import type { Envelope } from '../../electron/shared/contract.ts';
import type { OfferedFile } from '../../electron/shared/upload-model.ts';
import { openPlace } from '../helpers/places.ts';
import { type FakeWindow, SAMPLE_ID } from './fake-main/scenario.ts';
import { expect, openEntities, test } from './fixtures.ts';

interface Held extends FakeWindow {
  spandeck: {
    invoke: (channel: string, argument?: unknown) => Promise<Envelope<object>>;
    offerFiles: (files: File[]) => Promise<Envelope<OfferedFile[]>>;
  };
  /** Releases the held answers. */
  release: () => void;
}

/** As in the main process, the change is reported before it is answered, and reading the stored layout takes time. */
const holdTabs = (page: Page) =>
  page.evaluate(() => {
    const fake = globalThis as unknown as Held;
    const { invoke } = fake.spandeck;
    const released = new Promise<void>((resolve) => {
      fake.release = resolve;
    });
    fake.spandeck.invoke = async (channel, argument) => {
      const answer = await invoke(channel, argument);
      if (channel === 'connections:activate') {
        const list = await invoke('connections:list');
        fake.fakeEvent('connections:changed', list.ok ? list.value : {});
      }
      if (['connections:activate', 'layout:read'].includes(channel)) await released;
      return answer;
    };
  });

const dropFile = (page: Page) =>
  page.evaluate(() => {
    const fake = globalThis as unknown as Held;
    const offered = { fileId: 'file-1', name: 'churn.csv', sizeBytes: 12, packed: null, error: null };
    fake.spandeck.offerFiles = () => Promise.resolve({ ok: true, seq: 1, value: [offered] });
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['a,b'], 'churn.csv'));
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  });

const release = (page: Page) => page.evaluate(() => (globalThis as unknown as Held).release());
const tabs = (page: Page) => page.getByRole('tablist', { name: 'Open tabs' }).getByRole('tab');

test('keeps a section and a dropped file open that were opened right after connecting', async ({ open }) => {
  const page = await open({ isFirstRun: true });
  await page.getByRole('button', { name: /Connect to a service/ }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Staging');
  await page.getByRole('textbox', { name: 'Base URL' }).fill('https://staging.example.com');
  await page.getByLabel('Access token').fill('tok-3f9c1d7a5b2e4860-Zq8');
  await holdTabs(page);
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await openPlace(page, 'Uploads');
  await dropFile(page);
  await expect(tabs(page)).toHaveText(['Uploads', 'churn.csv']);
  await release(page);
  await expect(tabs(page)).toHaveText(['Catalog', 'Uploads', 'churn.csv']);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('churn.csv');
});

test('restores stored tabs beside those opened in the meantime, and closes those of the previous connection', async ({
  open,
}) => {
  const kept = { id: '1', kind: 'offline', title: 'Offline library', params: {} };
  const page = await open({ layout: { tabs: { list: [kept], activeId: '1' } } });
  await expect(tabs(page)).toHaveText(['Offline library']);
  await openPlace(page, 'Datasets');
  await expect(tabs(page)).toHaveText(['Offline library', 'Datasets']);
  await holdTabs(page);
  await page.getByRole('button', { name: 'Connection: Production' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Sample workspace' }).click();
  await expect(tabs(page)).toHaveCount(0);
  await openPlace(page, 'Offline library');
  await openPlace(page, 'Uploads');
  await expect(tabs(page)).toHaveText(['Uploads']);
  await release(page);
  // The fake main process uses the stored layout of one connection for the other as well.
  await expect(tabs(page)).toHaveText(['Offline library', 'Datasets', 'Uploads']);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Uploads');
});

test('closes dialogs about the previous connection if a notification switches to another one', async ({
  open,
}) => {
  const page = await open();
  await openEntities(page);
  await page.keyboard.press('Control+Shift+E');
  const dialogs = page.getByRole('dialog');
  await expect(page.getByRole('dialog', { name: /^Export / })).toBeVisible();
  await page.evaluate((connectionId) => {
    (globalThis as unknown as Held).fakeEvent('alerts:open', {
      connectionId,
      alert: { ruleId: 'rule', name: 'Latency' },
    });
  }, SAMPLE_ID);
  await expect(page.getByRole('button', { name: 'Connection: Sample workspace' })).toBeVisible();
  await expect(dialogs).toHaveCount(0);
});
