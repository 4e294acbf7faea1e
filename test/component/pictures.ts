/**
 * Takes pictures of a view in every theme and size, which are stored with the results of its test. Only for
 * `PICTURES=yes npm test -- component`.
 */
import type { Page, TestInfo } from '@playwright/test';

/** Pictures are not asserted, and hundreds of them take as long as dozens of tests. */
export const HAS_PICTURES = process.env['PICTURES'] !== undefined;

const SIZES = [
  { width: 1_280, height: 800 },
  { width: 1_000, height: 640 },
];
const THEMES = ['light', 'dark'] as const;

/**
 * Takes a picture in each theme and size. `check` is called for each size even if no pictures are taken. Afterwards the
 * page has the first size and theme again.
 */
export async function takePictures(
  page: Page,
  info: TestInfo,
  name: string,
  check?: () => Promise<void>,
): Promise<void> {
  if (!HAS_PICTURES && check === undefined) return;
  for (const size of SIZES) {
    await page.setViewportSize(size);
    for (const theme of HAS_PICTURES ? THEMES : []) {
      await page.emulateMedia({ colorScheme: theme });
      if ((await shownTheme(page)) !== theme)
        throw new Error(
          `Expected the page in its ${theme} theme for the picture ${name}; the test opens it with a theme of its own.`,
        );
      await takePicture(page, info, `${name}-${size.width}-${theme}`);
    }
    await check?.();
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(SIZES[0] ?? { width: 1_280, height: 800 });
}

/** The theme in which the page is drawn. */
const shownTheme = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const chosen = document.documentElement.dataset['theme'];
    if (chosen === 'light' || chosen === 'dark') return chosen;
    return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  });

/** Takes a single picture of the page in its current state. */
export async function takePicture(page: Page, info: TestInfo, name: string): Promise<void> {
  if (HAS_PICTURES) await page.screenshot({ path: info.outputPath(`${name}.png`) });
}
