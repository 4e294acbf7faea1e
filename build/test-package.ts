/** The package part of `npm test`: packages the app, reads its fuses, and starts it. */
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { collect } from './collect.ts';
import { packagedExecutable } from './package.ts';
import { FUSES } from './packaging/builder-config.ts';
import { ROOT } from './runtime.ts';
import type { Counts } from './test-runners.ts';
import { startVirtualDisplay } from './virtual-display.ts';

const CHILD_LIMIT_MS = 120_000;
const write = (line: string): void => void process.stdout.write(`${line}\n`);

/** In a process of its own: electron-builder decides the exit code of the one it runs in. */
async function checkPackaging(): Promise<void> {
  const { code, text } = await collect(
    process.execPath,
    [path.join(ROOT, 'build', 'package.ts'), '--folder'],
    { env: process.env, limitMs: CHILD_LIMIT_MS },
  );
  if (code !== 0) throw new Error(`npm run package -- --folder ended with code ${code}:\n${text}`);
}

/** The switches of the binary as electron-builder's options name them. */
async function checkFuses(): Promise<void> {
  const wire = await getCurrentFuseWire(packagedExecutable());
  for (const [name, isOn] of Object.entries(FUSES)) {
    const option = FuseV1Options[`${name[0]?.toUpperCase()}${name.slice(1)}` as keyof typeof FuseV1Options];
    const wanted = isOn ? FuseState.ENABLE : FuseState.DISABLE;
    if (wire[option] !== wanted)
      throw new Error(`Expected the fuse ${name} to be ${isOn ? 'on' : 'off'}, it is not.`);
  }
}

/** Starts the package and waits for the JSON line of its first view. */
async function checkStart(): Promise<void> {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'spandeck-package-'));
  const display = process.platform === 'linux' ? await startVirtualDisplay() : undefined;
  try {
    const args = ['--smoke', `--data-dir=${path.join(profile, 'data')}`];
    if (process.getuid?.() === 0) args.unshift('--no-sandbox');
    const env: NodeJS.ProcessEnv = { ...process.env, XDG_CACHE_HOME: path.join(profile, 'cache') };
    if (display !== undefined) env['DISPLAY'] = display.name;
    const { code, text } = await collect(packagedExecutable(), args, { env, limitMs: CHILD_LIMIT_MS });
    const line = text.split('\n').find((item) => item.startsWith('{'));
    if (code !== 0 || line === undefined)
      throw new Error(`Expected a JSON line and code 0, got code ${code}:\n${text}`);
    write(line);
  } finally {
    display?.stop();
    fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** Three checks, each of which needs the one before it. */
export async function verifyPackage(): Promise<Counts> {
  const checks = [
    ['the app is packaged', checkPackaging],
    ['its fuses are set', checkFuses],
    ['it starts', checkStart],
  ] as const;
  let passed = 0;
  for (const [name, check] of checks) {
    try {
      await check();
    } catch (error) {
      write(
        `FAILED  package: ${name}\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
      return { passed, failed: checks.length - passed };
    }
    passed += 1;
    write(`ok      package: ${name}`);
  }
  return { passed, failed: 0 };
}
