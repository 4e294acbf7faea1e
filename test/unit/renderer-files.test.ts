import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { answerApp } from '../../electron/platform/app-answers.ts';
import { CONTENT_SECURITY_POLICY } from '../../electron/platform/content-security-policy.ts';
import { isOwnPage, rendererFile } from '../../electron/platform/renderer-files.ts';

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

test.each([
  ['app://spandeck/index.html', true],
  ['app://spandeck/index.html#x', true],
  ['app://spandeck/', false],
  ['app://spandeck/other.html', false],
  ['app://spandeck/index.html?x=1', false],
  ['app://spandeck/assets/a.js', false],
  ['app://spandeck/%69ndex.html', false],
  ['app://spandeck.example.com/index.html', false],
  ['app://other/index.html', false],
  ['https://spandeck/index.html', false],
  ['about:blank', false],
  ['data:text/html,x', false],
  ['nonsense', false],
])('a navigation to %s is allowed: %s', (url, expected) => {
  expect(isOwnPage(url)).toBe(expected);
});

test.each([
  ['index.html', 200],
  ['missing.html', 404],
  ['..%2fmain.js', 404],
  ['index.html/page.js', 404],
  ['folder.js', 404],
  [`${'a'.repeat(300)}.js`, 404],
])('the answer for %s is %i and carries the policy of the page', async (path, status) => {
  const folder = mkdtempSync(join(tmpdir(), 'spandeck-renderer-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'index.html'), '<p>page</p>');
  mkdirSync(join(folder, 'folder.js'));
  const answer = await answerApp(folder, `app://spandeck/${path}`);
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-security-policy')).toBe(CONTENT_SECURITY_POLICY);
});
