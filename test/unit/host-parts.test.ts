import * as fs from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isAccelerator } from '../../build/chromium-host/accelerator.ts';
import { originOf, servedSchemes, toApp, toChromium } from '../../build/chromium-host/urls.ts';

describe('URLs of served schemes', () => {
  beforeEach(() => servedSchemes.add('app'));
  afterEach(() => servedSchemes.clear());

  test.each([
    ['app://bundle/index.html', 'https://bundle.app.app.invalid/index.html'],
    ['app://bundle/a/b.js?x=1#y', 'https://bundle.app.app.invalid/a/b.js?x=1#y'],
  ])('%s is %s in Chromium, and back', (inApp, inChromium) => {
    expect(toChromium(inApp)).toBe(inChromium);
    expect(toApp(inChromium)).toBe(inApp);
  });

  test('other URLs stay unchanged', () => {
    for (const url of [
      'https://example.invalid/',
      'about:blank',
      'other://host/x',
      'https://x.other.app.invalid/',
    ]) {
      expect(toChromium(url)).toBe(url);
      expect(toApp(url)).toBe(url);
    }
  });

  test('a host that only looks like a served one is not mistaken for it', () => {
    expect(toApp('https://bundle.app.app.invalid.example.com/')).toBe(
      'https://bundle.app.app.invalid.example.com/',
    );
    expect(toApp('https://example.com/bundle.app.app.invalid/')).toBe(
      'https://example.com/bundle.app.app.invalid/',
    );
  });

  test('the origin of a custom scheme is its scheme and host', () => {
    expect(originOf('app://bundle/x')).toBe('app://bundle');
    expect(originOf('https://example.com/x')).toBe('https://example.com');
  });
});

describe('accelerators', () => {
  const press = (key: string, ...held: string[]) => ({
    key,
    ctrlKey: held.includes('ctrl'),
    altKey: held.includes('alt'),
    shiftKey: held.includes('shift'),
    metaKey: held.includes('meta'),
  });

  test.each([
    ['CmdOrCtrl+K', press('k', 'ctrl'), true],
    ['CmdOrCtrl+K', press('k', 'ctrl', 'shift'), false],
    ['CommandOrControl+Shift+P', press('p', 'ctrl', 'shift'), true],
    ['F11', press('f11'), true],
    ['CmdOrCtrl++', press('+', 'ctrl'), true],
    ['CmdOrCtrl+Plus', press('+', 'ctrl'), true],
    ['Alt+Left', press('arrowleft', 'alt'), true],
    ['CmdOrCtrl+,', press(',', 'ctrl'), true],
  ])('%s', (accelerator, pressed, expected) => {
    expect(isAccelerator(accelerator, pressed)).toBe(expected);
  });
});

test('the version is that of the electron package', () => {
  const version = fs.readFileSync('build/chromium-host/version', 'utf8').trim();
  const about = JSON.parse(fs.readFileSync('node_modules/electron/package.json', 'utf8')) as {
    version: string;
  };
  expect(version).toBe(about.version);
});
