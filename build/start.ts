/**
 * `npm start`: installs what is missing, builds what is stale, opens the app.
 *
 *   npm start [-- --data-dir DIR] [--remote-debugging-port N] [--electron] [--smoke [--screenshot FILE]]
 *
 * --smoke opens the app, waits until its first view is ready and ends; if there is no display, it starts a virtual one.
 */
import { type ChildProcess, spawnSync } from 'node:child_process';
import * as path from 'node:path';
import { parseArgs } from 'node:util';
import { startApp, waitForEnd } from './app-process.ts';
import { BundleError, bundle } from './bundle.ts';
import { findRuntime, ROOT, type Runtime } from './runtime.ts';
import { sandboxFacts, sandboxProblem } from './sandbox.ts';
import { hasDisplay, startVirtualDisplay } from './virtual-display.ts';

const SMOKE_LIMIT_MS = 60_000;

interface Options {
  readonly isSmoke: boolean;
  readonly asksElectron: boolean;
  readonly debuggingPort: string | undefined;
  /** Arguments for the app. */
  readonly appArgs: readonly string[];
}

/** An error that the person can correct; it is printed without a stack. */
class StartError extends Error {}

/** Resolves a path from the folder in which the person typed it, because npm changes to the project's folder. */
const fromCaller = (file: string): string => path.resolve(process.env['INIT_CWD'] ?? process.cwd(), file);

function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      smoke: { type: 'boolean', default: false },
      electron: { type: 'boolean', default: false },
      screenshot: { type: 'string' },
      'data-dir': { type: 'string' },
      'remote-debugging-port': { type: 'string' },
    },
  });
  const appArgs = [...positionals];
  if (values.smoke) appArgs.push('--smoke');
  if (values.screenshot !== undefined) appArgs.push(`--screenshot=${fromCaller(values.screenshot)}`);
  if (values['data-dir'] !== undefined) appArgs.push(`--data-dir=${fromCaller(values['data-dir'])}`);
  return {
    isSmoke: values.smoke,
    asksElectron: values.electron,
    debuggingPort: values['remote-debugging-port'],
    appArgs,
  };
}

/** Installs the runtime and system packages. npm's pre-script gets no arguments, so this second call has them. */
function setUp({ isSmoke, asksElectron }: Options): void {
  const args = [path.join(ROOT, 'build', 'bootstrap.mjs'), 'start'];
  if (isSmoke) args.push('--smoke');
  if (asksElectron) args.push('--electron');
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) throw new StartError('');
}

function launch(runtime: Runtime, options: Options, display: string | undefined): ChildProcess {
  const args: string[] = [];
  // Chromium refuses to use its sandbox as root. The Chromium host handles that itself.
  if (runtime.name === 'Electron' && process.getuid?.() === 0) args.push('--no-sandbox');
  if (options.debuggingPort !== undefined) args.push(`--remote-debugging-port=${options.debuggingPort}`);
  const env = { ...process.env };
  delete env['ELECTRON_RUN_AS_NODE'];
  // Removed here, because the variable is for the command line, and Electron starts other processes before main could
  // delete it.
  delete env['SPANDECK_TOKEN'];
  if (display !== undefined) env['DISPLAY'] = display;
  const stdio: ['ignore' | 'inherit', 'pipe' | 'inherit', 'inherit'] = options.isSmoke
    ? ['ignore', 'pipe', 'inherit']
    : ['inherit', 'inherit', 'inherit'];
  return startApp(runtime.executable, [...args, ROOT, ...options.appArgs], { cwd: ROOT, env, stdio });
}

async function ended(child: ChildProcess): Promise<number> {
  try {
    return await waitForEnd(child);
  } catch (thrown) {
    throw new StartError(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

/** Passes on the one JSON line; prints the reason if there is none. */
async function watchSmoke(child: ChildProcess): Promise<number> {
  let text = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    process.stdout.write(chunk);
  });
  let isOverdue = false;
  const timer = setTimeout(() => {
    isOverdue = true;
    child.kill('SIGKILL');
  }, SMOKE_LIMIT_MS);
  const code = await ended(child);
  clearTimeout(timer);
  if (isOverdue)
    throw new StartError(`Expected the first view within ${SMOKE_LIMIT_MS / 1000} s, it did not come.`);
  const hasLine = text.split('\n').some((line) => line.startsWith('{'));
  if (code === 0 && !hasLine) throw new StartError('Expected one JSON line from the app, it ended without.');
  return code;
}

function runtimeHere(): Runtime {
  try {
    return findRuntime();
  } catch (thrown) {
    throw new StartError(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (!options.isSmoke && !hasDisplay()) {
    throw new StartError(
      'There is no display to open a window on: neither DISPLAY nor WAYLAND_DISPLAY is set.\n' +
        'Start it from a desktop session, or try it here without one: npm start -- --smoke --screenshot spandeck.png',
    );
  }
  setUp(options);
  const say = (line: string): void =>
    void (options.isSmoke ? process.stderr : process.stdout).write(`${line}\n`);
  await bundle(say, { only: 'window' });
  const runtime = runtimeHere();
  say(`start: ${runtime.name} ${runtime.version}`);
  if (runtime.name === 'Electron') {
    const refusal = sandboxProblem(sandboxFacts(runtime.dist), runtime.dist);
    if (refusal !== null) throw new StartError(refusal);
  }
  if (hasDisplay()) {
    const child = launch(runtime, options, undefined);
    return options.isSmoke ? await watchSmoke(child) : await ended(child);
  }
  const display = await startVirtualDisplay();
  try {
    return await watchSmoke(launch(runtime, options, display.name));
  } finally {
    display.stop();
  }
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    if (error instanceof StartError || error instanceof BundleError)
      process.stderr.write(`${error.message}\n`);
    else process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 1;
  },
);
