import { sep } from 'node:path';
import { expect, test } from 'vitest';
import { CONTENT_SECURITY_POLICY } from '../../electron/platform/content-security-policy.ts';
import { rendererFile } from '../../electron/platform/renderer-files.ts';

const dir = ['', 'opt', 'spandeck', 'renderer'].join(sep);

test('the start page and files below the folder are served', () => {
  expect(rendererFile(dir, 'app://spandeck/')).toBe([dir, 'index.html'].join(sep));
  expect(rendererFile(dir, 'app://spandeck/assets/a%20b.js?x=1#y')).toBe([dir, 'assets', 'a b.js'].join(sep));
});

test.each([
  'app://spandeck/..%2fmain.js',
  'app://spandeck/assets/..%5c..%5cmain.js',
  'app://spandeck/a%00.js',
  'app://spandeck/%zz.js',
  'app://other/index.html',
  'https://spandeck/index.html',
  'app://spandeck/assets/secret.pem',
  'app://spandeck/assets',
  'nonsense',
])('%s is not', (url) => {
  expect(rendererFile(dir, url)).toBeNull();
});

test('dot segments end inside the folder', () => {
  expect(rendererFile(dir, 'app://spandeck/%2e%2e/../main.js')).toBe([dir, 'main.js'].join(sep));
});

test('the policy allows nothing inline and nothing from outside', () => {
  expect(CONTENT_SECURITY_POLICY).toContain("default-src 'none'");
  expect(CONTENT_SECURITY_POLICY).not.toMatch(/unsafe|https?:|\*/);
});
