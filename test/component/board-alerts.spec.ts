/** Boards with marks of fired alert rules, and boards that are used offline. */
import { violationsInBothThemes } from './accessibility.ts';
import { plot, withBoard } from './board-steps.ts';
import { callsOf, expect, newestCall, test } from './fixtures.ts';
import { takePictures } from './pictures.ts';

test('marks the bins in which the rules of a chart fired, and asks for the history of each rule once', async ({
  open,
}) => {
  const page = await open(withBoard());
  const traffic = plot(page, 'Traffic');
  await expect(traffic).toHaveAccessibleDescription(/\d+ critical/);
  const texts: string[] = [];
  await traffic.press('Home');
  for (let count = 0; count < 5; count += 1) {
    await traffic.press('ArrowRight');
    texts.push((await traffic.getAttribute('aria-valuetext')) ?? '');
  }
  expect(texts.some((text) => /(?:Traffic|rule).* fired/.test(text))).toBe(true);
  const histories = (await callsOf(page, 'library:open-record'))
    .map(({ argument }) => argument['query'] as { operation: string; path: Record<string, string> })
    .filter(({ operation }) => operation === 'alert-rules.history')
    .map(({ path }) => path['alert_id']);
  expect(histories.length).toBeGreaterThan(0);
  expect(new Set(histories).size).toBe(histories.length);
});

test('a board is kept offline with the queries of all its charts and the firings of its rules', async ({
  open,
}, info) => {
  const page = await open(withBoard());
  await expect(plot(page, 'Traffic')).toHaveAccessibleDescription(/critical records/);
  await takePictures(page, info, 'board-fired');
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Keep offline…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Keep Card fraud board offline' });
  await expect(dialog).toBeVisible();
  await takePictures(page, info, 'board-keep');
  expect(await violationsInBothThemes(page)).toEqual([]);
  await dialog.getByRole('button', { name: /^Keep/ }).click();
  await expect(dialog).toBeHidden();
  const created = (await newestCall(page, 'jobs:create'))['plan'] as { keep: unknown };
  const plan = created.keep as {
    body: { queries: unknown[]; rules: unknown[] };
  };
  expect(plan).toMatchObject({ kind: 'board', range: { isRelative: true } });
  expect([plan.body.queries.length, plan.body.rules.length]).toEqual([4, 6]);
});

test('a board without stored values goes online with one press', async ({ open }) => {
  const page = await open(withBoard({ metrics: 'not-stored', network: 'switched-off' }));
  const note = page
    .getByRole('status')
    .filter({ hasText: 'The values of this board are not available offline.' });
  await note.getByRole('button', { name: 'Go online' }).click();
  await expect(page.getByRole('switch', { name: 'Work offline' })).toHaveAttribute('aria-checked', 'false');
  await expect(note).toHaveCount(0);
});
