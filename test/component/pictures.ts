/** Pictures of a view in every theme and size, among the results of its test. */
import type { Page, TestInfo } from '@playwright/test';

const SIZES = [
  { width: 1_280, height: 800 },
  { width: 1_000, height: 640 },
];
const THEMES = ['light', 'dark'] as const;

/** Takes them, with `check` at each size; the page keeps the first size. */
export async function takePictures(
  page: Page,
  info: TestInfo,
  name: string,
  check: () => Promise<void> = async () => undefined,
): Promise<void> {
  for (const size of SIZES) {
    await page.setViewportSize(size);
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme });
      await page.screenshot({ path: info.outputPath(`${name}-${size.width}-${theme}.png`) });
    }
    await check();
  }
  await page.setViewportSize(SIZES[0] ?? { width: 1_280, height: 800 });
}
