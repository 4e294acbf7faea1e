/** What the product asks a runtime for by name, against what the Chromium host has: the rest must stand in its README. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as host from '../../build/chromium-host/electron.ts';
import { secondInstance } from '../../build/chromium-host/single-instance.ts';
import { STATE_EVENTS } from '../../build/chromium-host/window-options.ts';
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

/** Events of Node's own objects and of the logger's streams. */
const OF_NODE = ['data', 'error', 'exit', 'message'];

/** Events of the runtime that the product listens to. */
function awaitedEvents(): string[] {
  const PATTERN = /(?:\bon\w*|\bonce|'on'\))(?:\?\.)?\(\s*'([a-z-]+)'/g;
  const files = ['electron/main.ts', ...sourceFiles('electron/platform')];
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

test('events that the product waits for and the host never sends are listed in its README, and nothing else is', () => {
  const sent = sentEvents();
  const missing = awaitedEvents().filter((name) => !sent.has(name));
  const section = /## Events that never come\n([\s\S]*?)\n## /.exec(README)?.[1] ?? '';
  const listed = [...section.matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => name);
  expect(listed.sort()).toEqual(missing);
});

test('a second start is told as Electron tells it, and the product finds its words among the switches', () => {
  const told = secondInstance(['/opt/spandeck', 'spandeck://uploads'], '/home/me', undefined);
  expect(told.additionalData).toBeNull();
  expect(told.argv.length).toBeGreaterThan(2);
  expect(readOpenRequest(told.argv.slice(1), told.workingDirectory, () => false).command).toBe('go.uploads');
});
