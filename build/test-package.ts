/**
 * The package part of `npm test`: packages the app, reads its fuses, and starts it; with Electron also in Chromium's
 * sandbox.
 */
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses';
import { pidNamespaces, renderersBelow } from '../test/helpers/renderer-processes.ts';
import { collect } from './collect.ts';
import { packagedExecutable } from './package.ts';
import { FUSES } from './packaging/builder-config.ts';
import { findRuntime, ROOT, type Runtime } from './runtime.ts';
import { type OrdinaryUser, ordinaryUser, sandboxFacts, sandboxProblem } from './sandbox.ts';
import type { Counts } from './test-runners.ts';
import { startVirtualDisplay } from './virtual-display.ts';

const CHILD_LIMIT_MS = 120_000;
const LOOK_EVERY_MS = 10;
const write = (line: string): void => void process.stdout.write(`${line}\n`);

/** Runs in a separate process, because electron-builder sets the exit code of its process. */
async function checkPackaging(): Promise<void> {
  const { code, text } = await collect(
    process.execPath,
    [path.join(ROOT, 'build', 'package.ts'), '--folder'],
    { env: process.env, limitMs: CHILD_LIMIT_MS },
  );
  if (code !== 0) throw new Error(`npm run package -- --folder ended with code ${code}:\n${text}`);
}

/** Compares the fuses of the binary, which have the names of electron-builder's options. */
async function checkFuses(): Promise<void> {
  const wire = await getCurrentFuseWire(packagedExecutable());
  for (const [name, isOn] of Object.entries(FUSES)) {
    const option = FuseV1Options[`${name[0]?.toUpperCase()}${name.slice(1)}` as keyof typeof FuseV1Options];
    const wanted = isOn ? FuseState.ENABLE : FuseState.DISABLE;
    if (wire[option] !== wanted)
      throw new Error(`Expected the fuse ${name} to be ${isOn ? 'on' : 'off'}, it is not.`);
  }
}

interface Start {
  /** False for root, for which Chromium refuses to use its sandbox. */
  readonly hasSandbox: boolean;
  readonly user?: OrdinaryUser | undefined;
  readonly onStart?: (pid: number) => void;
}

/** Starts the package and waits for the JSON line of its first view. */
async function startPackage({ hasSandbox, user, onStart = () => undefined }: Start): Promise<void> {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'spandeck-package-'));
  if (user !== undefined) fs.chownSync(profile, user.uid, user.gid);
  const display = process.platform === 'linux' ? await startVirtualDisplay() : undefined;
  try {
    const args = ['--smoke', `--data-dir=${path.join(profile, 'data')}`];
    if (!hasSandbox) args.unshift('--no-sandbox');
    const env: NodeJS.ProcessEnv = { ...process.env, XDG_CACHE_HOME: path.join(profile, 'cache') };
    if (user !== undefined) Object.assign(env, { HOME: profile, XDG_RUNTIME_DIR: profile });
    if (display !== undefined) env['DISPLAY'] = display.name;
    const { code, text } = await collect(packagedExecutable(), args, {
      ...{ env, limitMs: CHILD_LIMIT_MS, user, onStart },
    });
    const line = text.split('\n').find((item) => item.startsWith('{'));
    if (code !== 0 || line === undefined)
      throw new Error(`Expected a JSON line and code 0, got code ${code}:\n${text}`);
    write(line);
  } finally {
    display?.stop();
    fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

const isRoot = (): boolean => process.getuid?.() === 0;

/** Checks that the page was in another process namespace than the main process. */
async function checkSandbox(user: OrdinaryUser | undefined): Promise<void> {
  let isApart = false;
  let timer: NodeJS.Timeout | undefined;
  const onStart = (pid: number): void => {
    timer = setInterval(() => {
      const own = pidNamespaces(pid);
      isApart ||= own > 0 && renderersBelow(pid).some((page) => pidNamespaces(page) > own);
    }, LOOK_EVERY_MS);
  };
  try {
    await startPackage({ hasSandbox: true, user, onStart });
  } finally {
    clearInterval(timer);
  }
  if (!isApart) throw new Error('Expected the page to be in a sandbox, it was in none.');
}

/** Why the sandbox cannot be checked here; null if it can. */
function sandboxMissing(runtime: Runtime, user: OrdinaryUser | undefined): string | null {
  if (process.platform !== 'linux') return 'processes are found by /proc';
  if (runtime.name !== 'Electron') return 'only Electron brings its own';
  if (isRoot() && user === undefined) return 'there is no ordinary user who may read the package';
  return sandboxProblem({ ...sandboxFacts(runtime.dist), isRoot: false, hasHelper: false }, runtime.dist);
}

interface Step {
  readonly name: string;
  readonly check: () => Promise<void>;
}

/**
 * Runs the steps in order. Each needs the previous one. The last one is skipped, with the reason, if there is no
 * sandbox.
 */
export async function verifyPackage(): Promise<Counts> {
  const steps: Step[] = [
    { name: 'the app is packaged', check: checkPackaging },
    { name: 'its fuses are set', check: checkFuses },
    { name: 'it starts', check: () => startPackage({ hasSandbox: !isRoot() }) },
  ];
  let passed = 0;
  const run = async ({ name, check }: Step): Promise<boolean> => {
    try {
      await check();
    } catch (error) {
      write(
        `FAILED  package: ${name}\n${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
      return false;
    }
    passed += 1;
    write(`ok      package: ${name}`);
    return true;
  };
  for (const step of steps) if (!(await run(step))) return { passed, failed: steps.length - passed };
  const user = isRoot() ? ordinaryUser(packagedExecutable()) : undefined;
  const missing = sandboxMissing(findRuntime(), user);
  const name = `it starts in its sandbox${isRoot() ? ', as the user nobody' : ''}`;
  if (missing !== null) {
    write(`skipped package: ${name}: ${missing}`);
    return { passed, failed: 0, skipped: 1 };
  }
  return (await run({ name, check: () => checkSandbox(user) }))
    ? { passed, failed: 0 }
    : { passed, failed: 1 };
}
