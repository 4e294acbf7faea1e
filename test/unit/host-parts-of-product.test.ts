/**
 * If the product requests a name from a runtime and the Chromium host lacks it, the README of the host must list it.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as host from '../../build/chromium-host/electron.ts';
import { secondInstance } from '../../build/chromium-host/single-instance.ts';
import { STATE_EVENTS } from '../../build/chromium-host/window-options.ts';
import { readOpenRequest } from '../../electron/platform/open-requests.ts';
import { sourceFiles, textOf } from '../helpers/module-graph.ts';

const README = readFileSync('build/chromium-host/README.md', 'utf8');

/** Optional names that are requested by `methodOf` and `partOf`. */
function askedNames(): string[] {
  const PATTERNS = [/\bpartOf\(\w+, '(\w+)'/g, /\bmethodOf\((?:[^'()]|\([^()]*\))*'(\w+)'/g];
  const asked = sourceFiles('electron/platform').flatMap((file) =>
    PATTERNS.flatMap((pattern) => [...textOf(file).matchAll(pattern)].map(([, name = '']) => name)),
  );
  return [...new Set(asked)].sort();
}

/** All names of the classes and objects of the host, including the names that they inherit from its other classes. */
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

/** Methods of the events that the host passes to listeners, and of images. */
const OF_EVENTS = ['preventDefault'];

test('lists the parts missing on the host in its README, and nothing else', () => {
  const offered = offeredNames();
  const missing = askedNames().filter((name) => !offered.has(name) && !OF_EVENTS.includes(name));
  const section = /## Parts that the product finds missing\n([\s\S]*?)\n## /.exec(README)?.[1] ?? '';
  const listed = [...section.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
  expect(listed.sort()).toEqual(missing);
});

/** Events of objects of Node, and of the streams of the logger. */
const OF_NODE = ['data', 'error', 'exit', 'message'];

/** Events of the runtime that the product listens to. */
function awaitedEvents(): string[] {
  const PATTERN = /(?:\bon\w*|\bonce|'on'\))(?:\?\.)?\(\s*'([a-z-]+)'/g;
  const files = ['electron/main.ts', 'electron/application.ts', ...sourceFiles('electron/platform')];
  const names = files.flatMap((file) => [...textOf(file).matchAll(PATTERN)].map(([, name = '']) => name));
  return [...new Set(names)].filter((name) => !OF_NODE.includes(name)).sort();
}

/** Events that the host sends. */
function sentEvents(): Set<string> {
  const PATTERN = /\bemit(?:Preventable)?\(\s*(?:\w+,\s*)?'([a-z-]+)'/g;
  const ofCalls = sourceFiles('build/chromium-host').flatMap((file) =>
    [...textOf(file).matchAll(PATTERN)].map(([, name = '']) => name),
  );
  return new Set([...ofCalls, ...Object.values(STATE_EVENTS).flat()]);
}

test('lists the events that the product awaits and the host never sends in its README, and nothing else', () => {
  const sent = sentEvents();
  const missing = awaitedEvents().filter((name) => !sent.has(name));
  const section = /## Events that never come\n([\s\S]*?)\n## /.exec(README)?.[1] ?? '';
  const listed = [...section.matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => name);
  expect(listed.sort()).toEqual(missing);
});

test('a second start is reported as in Electron, and the product finds its arguments among the switches', () => {
  const told = secondInstance(['/opt/spandeck', 'spandeck://uploads'], '/home/me', undefined);
  expect(told.additionalData).toBeNull();
  expect(told.argv.length).toBeGreaterThan(2);
  expect(readOpenRequest(told.argv.slice(1), told.workingDirectory, () => false).command).toBe('go.uploads');
});
