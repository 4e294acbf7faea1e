/** What the product asks a runtime for by name, against what the Chromium host has: the rest must stand in its README. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as host from '../../build/chromium-host/electron.ts';
import { secondInstance } from '../../build/chromium-host/single-instance.ts';
import { readOpenRequest } from '../../electron/platform/open-requests.ts';
import { sourceFiles, textOf } from '../helpers/module-graph.ts';

const README = readFileSync('build/chromium-host/README.md', 'utf8');

/** Names that are asked for by `methodOf` and `partOf`, and may be missing. */
function askedNames(): string[] {
  const PATTERNS = [/\bpartOf\(\w+, '(\w+)'/g, /\bmethodOf\((?:[^'()]|\([^()]*\))*'(\w+)'/g];
  const asked = sourceFiles('electron/platform').flatMap((file) =>
    PATTERNS.flatMap((pattern) => [...textOf(file).matchAll(pattern)].map(([, name = '']) => name)),
  );
  return [...new Set(asked)].sort();
}

/** Everything that a class or an object of the host offers, inherited from its own classes too. */
function offeredNames(): Set<string> {
  const names = new Set<string>(Object.keys(host));
  const isOwn = (layer: object | null): layer is object => layer !== null && layer !== Object.prototype;
  for (const value of Object.values(host)) {
    const roots = typeof value === 'function' ? [value, value.prototype] : [value];
    for (let layer of roots) {
      for (; isOwn(layer); layer = Object.getPrototypeOf(layer))
        for (const name of Object.getOwnPropertyNames(layer)) names.add(name);
    }
  }
  return names;
}

/** Of the runtime's objects that the host gives to listeners, and of pictures. */
const OF_EVENTS = ['preventDefault'];

test('what the product finds missing on the host is listed in its README, and nothing else is', () => {
  const offered = offeredNames();
  const missing = askedNames().filter((name) => !offered.has(name) && !OF_EVENTS.includes(name));
  const section = /## Parts that the product finds missing\n([\s\S]*?)\n## /.exec(README)?.[1] ?? '';
  const listed = [...section.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
  expect(listed.sort()).toEqual(missing);
});

test('a second start is told as Electron tells it, and the product finds its words among the switches', () => {
  const told = secondInstance(['/opt/spandeck', 'spandeck://uploads'], '/home/me', undefined);
  expect(told.additionalData).toBeNull();
  expect(told.argv.length).toBeGreaterThan(2);
  expect(readOpenRequest(told.argv.slice(1), told.workingDirectory, () => false).command).toBe('go.uploads');
});
