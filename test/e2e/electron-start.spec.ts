/** How Electron starts: its screenshot shows a drawn page, and files and links wait until they can be shown. */
import { join } from 'node:path';
import { expect, test } from '../helpers/product.ts';
import { hasElectron, NEEDS_ELECTRON, startSpandeck } from '../helpers/second-start.ts';

test.skip(() => !hasElectron(), NEEDS_ELECTRON);

const STARTS = 5;

test('shows the page in the screenshot of a smoke run, at each of five starts', async ({
  shared,
}, testInfo) => {
  for (let start = 1; start <= STARTS; start += 1) {
    const picture = join(testInfo.outputDir, `start-${start}.png`);
    const words = ['--smoke', `--screenshot=${picture}`];
    const { code, text } = await startSpandeck({ dataDir: testInfo.outputPath(`data-${start}`), words })
      .ended;
    expect(code).toBe(0);
    const line = text.split('\n').find((item) => item.startsWith('{')) ?? '';
    expect(JSON.parse(line)).toMatchObject({ ready: true, view: 'welcome', runtime: 'Electron' });
    const colours = await shared.app.evaluate(({ nativeImage }, file) => {
      const pixels = nativeImage.createFromPath(file).toBitmap();
      return new Set(Uint32Array.from({ length: pixels.length / 4 }, (_, at) => pixels.readUInt32LE(4 * at)))
        .size;
    }, picture);
    expect(colours).toBeGreaterThan(10);
  }
});
