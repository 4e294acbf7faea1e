/**
 * Draws the icon set of all platforms from packaging/icons/icon.svg into the same folder. Run it after the SVG has
 * changed:
 *
 *   node build/draw-icons.ts
 *
 * The results are in the repository, so that packaging needs no browser.
 */
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { chromium } from '@playwright/test';
import { icnsOf, icoOf } from './packaging/icon-files.ts';
import { ICON_SIZES, ICONS, SOURCE_HASH } from './packaging/icon-set.ts';

const svg = fs.readFileSync(path.join(ICONS, 'icon.svg'), 'utf8');
const executablePath = process.env['SPANDECK_CHROMIUM'] ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const page = await browser.newPage({ deviceScaleFactor: 1 });
const drawn = new Map<number, Buffer>();
for (const size of ICON_SIZES) {
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(`<style>body{margin:0}svg{display:block;width:${size}px}</style>${svg}`);
  const png = await page.screenshot({ omitBackground: true });
  drawn.set(size, png);
  fs.writeFileSync(path.join(ICONS, `${size}x${size}.png`), png);
}
await browser.close();
fs.writeFileSync(path.join(ICONS, 'icon.icns'), icnsOf(drawn));
fs.writeFileSync(path.join(ICONS, 'icon.ico'), icoOf(drawn));
fs.writeFileSync(SOURCE_HASH, `${createHash('sha256').update(svg).digest('hex')}\n`);
