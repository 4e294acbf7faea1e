/** Set-up on simulated platforms: Windows, Ubuntu with restricted namespaces, and Node of any version. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../../build/runtime.ts';
import { type SandboxFacts, sandboxProblem } from '../../build/sandbox.ts';
import { isAbsenceKnown, isNodeNewEnough, needsShell, npmProgram } from '../../build/setup-rules.mjs';
import { TOOLS } from '../../build/tools.ts';

const WINDOWS_NODE = 'C:\\Program Files\\nodejs\\node.exe';
const WINDOWS_MODULES = 'C:\\Users\\A B\\spandeck\\node_modules';

describe('set-up on Windows', () => {
  test('only a .cmd uses a shell, which would split a path with a blank', () => {
    expect(needsShell('win32', WINDOWS_NODE)).toBe(false);
    expect(needsShell('win32', 'npm.cmd')).toBe(true);
    expect(needsShell('linux', 'npm')).toBe(false);
  });

  test('npm is run by Node, never by the Node that npm deletes', () => {
    const from = {
      platform: 'win32' as const,
      script: 'C:\\npm\\npm-cli.js',
      hasScript: true,
      modules: WINDOWS_MODULES,
      separator: '\\',
    };
    const inside = `${WINDOWS_MODULES}\\node-bin\\node.exe`;
    expect(npmProgram({ ...from, nodes: [inside, WINDOWS_NODE] })).toEqual([WINDOWS_NODE, from.script]);
    expect(npmProgram({ ...from, nodes: [inside] })).toEqual(['npm.cmd']);
    expect(npmProgram({ ...from, hasScript: false, nodes: [WINDOWS_NODE] })).toEqual(['npm.cmd']);
  });

  test.each(Object.entries(TOOLS))('%s is started as a script of Node', (name, script) => {
    const file = join(ROOT, 'node_modules', script);
    expect(existsSync(file)).toBe(true);
    expect(readFileSync(file, 'utf8').split('\n')[0], name).toMatch(/^#!.*node/);
  });
});

test.each([
  ['18.20.8', false],
  ['22.18.0', false],
  ['22.19.0', true],
  ['23.5.0', false],
  ['23.6.0', true],
  ['24.0.0', true],
])('Node %s is new enough: %s', (version, isEnough) => {
  expect(isNodeNewEnough(version)).toBe(isEnough);
});

describe("Electron's absence", () => {
  const noted = { version: '45.4.1', at: '2026-11-22T10:00:00.000Z' };
  const at = (text: string): number => Date.parse(text);

  test('is cached for a day', () => {
    expect(isAbsenceKnown(noted, '45.4.1', at('2026-11-23T09:59:59Z'))).toBe(true);
    expect(isAbsenceKnown(noted, '45.4.1', at('2026-11-23T10:00:00Z'))).toBe(false);
  });

  test('is not cached for another version, without a time, or from the future', () => {
    expect(isAbsenceKnown(noted, '45.4.2', at('2026-11-22T11:00:00Z'))).toBe(false);
    expect(isAbsenceKnown({ version: '45.4.1' }, '45.4.1', at('2026-11-22T11:00:00Z'))).toBe(false);
    expect(isAbsenceKnown(noted, '45.4.1', at('2026-11-22T09:00:00Z'))).toBe(false);
    expect(isAbsenceKnown({}, '45.4.1', 0)).toBe(false);
  });
});

describe('the sandbox of Electron', () => {
  const ubuntu: SandboxFacts = {
    platform: 'linux',
    isRoot: false,
    areNamespacesRestricted: true,
    hasHelper: false,
  };

  test('that would be blocked is reported before the start, with the command to run', () => {
    const text = sandboxProblem(ubuntu, '/home/a b/electron/dist');
    expect(text?.match(/^ {2}sudo .*$/gm)).toHaveLength(1);
    expect(text).toContain('chmod 4755 "/home/a b/electron/dist/chrome-sandbox"');
  });

  test.each<Partial<SandboxFacts>>([
    { hasHelper: true },
    { isRoot: true },
    { areNamespacesRestricted: false },
    { platform: 'darwin' },
  ])('works with %j', (difference) => {
    expect(sandboxProblem({ ...ubuntu, ...difference }, '/electron')).toBeNull();
  });
});
