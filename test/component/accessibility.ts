/** Violations that the accessibility checker reports for a page. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';

/** Returns one line per broken rule. `rules` limits the check to these rules, and `within` to this part of the page. */
export async function violations(
  page: Page,
  { rules, within = 'body' }: { rules?: string[]; within?: string } = {},
): Promise<string[]> {
  // Legacy mode checks the page in place. The other mode opens an additional page each time for frames, which do not
  // exist here. Passes are not counted and no enabled rule reads style sheets, as both would take longer than the rest
  // of the check.
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

const setTheme = (page: Page, theme: string | null): Promise<string | null> =>
  page.evaluate((to) => {
    const root = document.documentElement;
    const before = root.getAttribute('data-theme');
    if (to === null) root.removeAttribute('data-theme');
    else root.setAttribute('data-theme', to);
    return before;
  }, theme);

/** Returns the violations in the dark theme, where only the colours differ. */
export async function violationsInDark(page: Page): Promise<string[]> {
  await setTheme(page, 'dark');
  return violations(page, { rules: ['color-contrast'] });
}

/** Checks a page in both themes, so that a flow need not be repeated for its colours. The page keeps its theme. */
export async function violationsInBothThemes(
  page: Page,
  options: Parameters<typeof violations>[1] = {},
): Promise<string[]> {
  const before = await setTheme(page, 'light');
  const inLight = await violations(page, options);
  const inDark = await violationsInDark(page);
  await setTheme(page, before);
  return [...inLight, ...inDark];
}
