/**
 * A status text that appears together with its region is repeated for screen readers in a region that always exists.
 */
import type { CDPSession } from '@playwright/test';
import { openPlace } from '../helpers/places.ts';
import { expect, test } from './fixtures.ts';

interface Node {
  nodeName: string;
  nodeValue: string;
  backendNodeId: number;
  attributes?: string[];
  children?: Node[];
  shadowRoots?: Node[];
}

/** The element of the repeated text, in a shadow tree that is closed to the page but not to a debugger. */
async function lineOf(session: CDPSession): Promise<{ id: number; text: string } | null> {
  const { root } = (await session.send('DOM.getDocument', { depth: -1, pierce: true })) as { root: Node };
  const all = [root];
  for (const node of all) all.push(...(node.children ?? []), ...(node.shadowRoots ?? []));
  const holder = all.find(({ attributes = [] }) => attributes.includes('data-announced'));
  const region = holder?.shadowRoots?.[0]?.children?.[0];
  expect(region?.attributes).toEqual(['aria-live', 'polite']);
  const line = region?.children?.[0];
  return line === undefined ? null : { id: line.backendNodeId, text: line.children?.[0]?.nodeValue ?? '' };
}

test.use({ ownPage: true });
test('repeats a status that appears with its region, even twice, but not one that appears with a view', async ({
  open,
}) => {
  const page = await open();
  const session = await page.context().newCDPSession(page);
  await openPlace(page, 'SQL');
  await page.getByRole('textbox', { name: 'SQL' }).fill('SELECT 1');
  expect(await lineOf(session)).toBeNull();
  await page.keyboard.press('Control+Enter');
  await expect.poll(async () => (await lineOf(session))?.text).toMatch(/rows? in /);
  const first = await lineOf(session);
  await page.keyboard.press('Control+Enter');
  // A new node is announced even if its text is the same.
  await expect.poll(async () => (await lineOf(session))?.id).not.toBe(first?.id);
  await expect.poll(async () => (await lineOf(session))?.text).toMatch(/rows? in /);
  // The copy is not part of the visible content of the window.
  await expect(page.getByText(first?.text ?? '')).toHaveCount(1);
});
