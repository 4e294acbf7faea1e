/** What accessibility's checker objects to in a page. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';

/** One line for each rule that is broken; `rules`: only these; `within`: only in this part of the page. */
export async function violations(
  page: Page,
  { rules, within = 'body' }: { rules?: string[]; within?: string } = {},
): Promise<string[]> {
  // Legacy mode looks at the page where it is: the other opens one more page each time, for frames, which we have none of.
  // Passes are counted by nobody, and the style sheets are asked by no rule that is on: both cost more than the answer.
  const axe = new AxeBuilder({ page })
    .setLegacyMode(true)
    .options({ resultTypes: ['violations'], preload: false });
  if (rules !== undefined) axe.withRules(rules);
  if (within !== 'body') axe.include(within);
  const found = await axe.analyze();
  return found.violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`,
  );
}

/** The same in the dark theme, of which only the colours are others. */
export async function violationsInDark(page: Page): Promise<string[]> {
  await page.evaluate(() => document.documentElement.setAttribute('data-theme', 'dark'));
  return violations(page, { rules: ['color-contrast'] });
}

/** Of a light page, in both themes: a flow need not be walked through twice for its colours. */
export async function violationsInBothThemes(
  page: Page,
  options: Parameters<typeof violations>[1] = {},
): Promise<string[]> {
  const inLight = await violations(page, options);
  const inDark = await violationsInDark(page);
  await page.evaluate(() => document.documentElement.setAttribute('data-theme', 'light'));
  return [...inLight, ...inDark];
}
