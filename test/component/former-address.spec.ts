/** Rows that were read at the former address of a connection are not changed by a dialog that has them already. */
import type { Locator, Page } from '@playwright/test';
import type { ListQuery } from '../../electron/shared/model.ts';
import { type FakeWindow, NOW } from './fake-main/scenario.ts';
import { expect, test } from './fixtures.ts';
import { openBaselines, section } from './resource-steps.ts';
import { bar, openSpans } from './span-steps.ts';

/** After the fake rows were read. */
const MOVED_AT = NOW - 20_000;

/** Gives the active connection another address. */
async function move(page: Page): Promise<void> {
  await page.evaluate(async (atMs) => {
    const fake = globalThis as unknown as FakeWindow;
    const answer = await window.spandeck?.invoke('connections:list', undefined);
    const { value } = answer as { value: { connections: object[] } };
    const movedFrom = { baseUrl: 'https://former.example.com', atMs };
    const connections = value.connections.map((each) => ({ ...each, movedFrom }));
    fake.fakeEvent('connections:changed', { ...value, connections });
  }, MOVED_AT);
}

/** Reads a list again at the new address, and waits until that is drawn. */
async function readAgain(page: Page, operation: ListQuery['operation']): Promise<void> {
  await page.evaluate(
    async ({ wanted, atMs }) => {
      const fake = globalThis as unknown as FakeWindow;
      const argument = fake.fakeCalls.findLast(
        ({ channel, argument: asked }) =>
          channel === 'library:open-list' && (asked as { query: ListQuery }).query.operation === wanted,
      )?.argument;
      const answer = await window.spandeck?.invoke('library:open-list', argument);
      const { value } = answer as { value: { state: { freshness: object } } };
      const freshness = { ...value.state.freshness, oldestMs: atMs, newestMs: atMs };
      fake.fakeEvent('library:list-changed', { state: { ...value.state, freshness } });
      await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    },
    { wanted: operation, atMs: MOVED_AT + 10_000 },
  );
}

const CASES: [what: string, operation: string, ask: (page: Page) => Promise<Locator>][] = [
  [
    'one row',
    'baselines.list',
    async (page) => {
      if (!(await page.getByRole('grid', { name: 'Baselines' }).isVisible())) await openBaselines(page);
      await page.getByRole('button', { name: 'Delete this baseline…' }).click();
      return page.getByRole('dialog', { name: /^Delete / });
    },
  ],
  [
    'several rows',
    'baselines.list',
    async (page) => {
      if (!(await page.getByRole('grid', { name: 'Baselines' }).isVisible())) await openBaselines(page);
      await page.getByRole('grid', { name: 'Baselines' }).focus();
      await page.keyboard.press('Control+a');
      await page.getByRole('button', { name: 'Delete 4 baselines…' }).click();
      return page.getByRole('dialog', { name: 'Delete 4 baselines' });
    },
  ],
  [
    'a change of alert rules',
    'alert-rules.list',
    async (page) => {
      const grid = page.getByRole('grid', { name: 'Alert rules' });
      if (!(await grid.isVisible())) await section(page, 'Alert rules');
      await grid.getByRole('gridcell').first().click();
      await page.keyboard.press('Shift+ArrowDown');
      await page.getByRole('button', { name: 'Change 2 rules' }).click();
      await page.getByRole('menuitem', { name: 'Turn notifications off' }).click();
      return page.getByRole('dialog', { name: 'Turn notifications off for 2 alert rules' });
    },
  ],
  [
    'the trace of a span',
    'spans.query',
    async (page) => {
      if (!(await page.getByRole('grid', { name: 'Spans of Support assistant' }).isVisible()))
        await (await openSpans(page)).press('x');
      await bar(page).getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Delete the trace of 1 span…' }).click();
      return page.getByRole('dialog', { name: /^Delete 1 trace of / });
    },
  ],
];

for (const [what, operation, ask] of CASES) {
  test(`a dialog about ${what} stays blocked if the list is read at the new address meanwhile`, async ({
    open,
  }) => {
    const page = await open();
    const dialog = await ask(page);
    await expect(dialog).toBeVisible();
    await expect(dialog).not.toContainText('former address');
    await move(page);
    await expect(dialog).toContainText('This was read at the former address of the connection.');
    await readAgain(page, operation);
    await expect(dialog).toContainText('This was read at the former address of the connection.');
    await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    const again = await ask(page);
    await expect(again).toBeVisible();
    await expect(again).not.toContainText('former address');
  });
}
