/**
 * Redraws the screenshots of the README and the guide from the running application with its sample workspace:
 *
 *   xvfb-run -a test/helpers/run-with-keyring.sh node test/draw-pictures.ts
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { launchApp } from './helpers/app.ts';
import setUp from './helpers/e2e-setup.ts';
import { MonitoringPage } from './helpers/monitoring-pages.ts';
import { WelcomePage, Workbench } from './helpers/pages.ts';
import { openPlace } from './helpers/places.ts';
import { SpansPage } from './helpers/span-pages.ts';

const FOLDER = join(import.meta.dirname, '../build/screenshots');
const TIMEOUT_MS = 60_000;
const RULE = 'Fraud score drifts';

async function draw(page: Page, name: string): Promise<void> {
  const view = page.locator('main');
  await expect(view.locator('[aria-busy="true"], .skeleton, .turn')).toHaveCount(0);
  // Messages disappear on their own.
  await expect(page.locator('[data-sonner-toast]')).toHaveCount(0);
  await page.mouse.move(-1, -1);
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
  process.stdout.write(`picture: ${name}\n`);
}

/** The first example with the question of a person. */
async function drawMapping(page: Page): Promise<void> {
  const bench = new Workbench(page);
  const spans = new SpansPage(page);
  await spans.open();
  // Counts and histogram arrive after the rows.
  await expect(bench.view.getByRole('button', { name: /^llm/ })).toContainText(/\d/);
  await draw(page, 'spans');
  await spans.pickAll();
  await bench.view.getByRole('button', { name: 'Create dataset…' }).click();
  await bench.view.getByRole('button', { name: 'Suggest a mapping' }).click();
  const example = bench.view.getByRole('region', { name: 'Example item' });
  await expect(async () => {
    if (await example.getByText('question missing').isVisible())
      await example.getByRole('button', { name: 'Next span' }).click();
    await expect(example.getByText('question missing')).toBeHidden({ timeout: 1_000 });
  }).toPass({ timeout: TIMEOUT_MS });
  await draw(page, 'mapping');
}

async function drawTimeline(page: Page): Promise<void> {
  const monitoring = new MonitoringPage(page);
  await openPlace(page, 'Alert rules');
  // Alone: rules change positions while their latest alerts arrive.
  await page.getByPlaceholder('Filter rows').fill(RULE);
  await expect(monitoring.rows('Alert rules')).toHaveCount(1);
  await monitoring.row('Alert rules', RULE).dblclick();
  await monitoring.describeWhole();
  await monitoring.chart.focus();
  for (const key of ['End', 'Enter']) await page.keyboard.press(key);
  await monitoring.button('Earlier alert').click();
  await expect(page.getByText('Loading thresholds')).toBeHidden();
  await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
  await draw(page, 'alert-timeline');
}

await setUp();
const dataDir = mkdtempSync(join(tmpdir(), 'spandeck-pictures-'));
const { app, page, close } = await launchApp({ dataDir });
app.context().setDefaultTimeout(TIMEOUT_MS);
await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
await page.setViewportSize({ width: 1280, height: 800 });
try {
  await new WelcomePage(page).enterSample();
  await drawMapping(page);
  await drawTimeline(page);
} catch (thrown) {
  await page.screenshot({ path: join(tmpdir(), 'spandeck-pictures-failed.png') });
  throw thrown;
} finally {
  await close();
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
