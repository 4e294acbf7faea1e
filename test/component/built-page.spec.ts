/**
 * The files of the bundler in dist/renderer contain nothing that the content security policy rejects, and nothing
 * external.
 */
import { readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect, test } from '@playwright/test';

const RENDERER = path.resolve(import.meta.dirname, '../../dist/renderer');

const files = (ending: string) =>
  readdirSync(RENDERER, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => readFileSync(path.join(RENDERER, file), 'utf8'));

test('the page contains no inline script, no inline style and no foreign address', () => {
  const [html = ''] = files('.html');
  expect(html).not.toMatch(/<style|\sstyle=|<script(?![^>]*\ssrc=)/);
  expect(html).not.toMatch(/(src|href)="(https?:)?\/\//);
});

test('styles load fonts and images from the application only', () => {
  const addresses = files('.css').flatMap((css) =>
    [...css.matchAll(/url\(([^)]*)\)/g)].map(([, url]) => url ?? ''),
  );
  expect(addresses.length).toBeGreaterThan(0);
  expect(addresses.filter((url) => /^["']?(data:|https?:|\/\/)/.test(url))).toEqual([]);
});

test('the common styles of all views precede those of components, which override them', () => {
  const [css = ''] = files('.css');
  expect(css.lastIndexOf('.menu{')).toBeGreaterThan(0);
  expect(css.indexOf('.svelte-')).toBeGreaterThan(css.lastIndexOf('.menu{'));
});
