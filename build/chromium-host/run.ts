/**
 * The script of the executable `electron`: reads the command line, loads the app, starts Chromium, and emits 'ready'.
 */
import * as fs from 'node:fs';
import * as inspector from 'node:inspector';
import { createRequire, registerHooks } from 'node:module';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Electron from './electron.ts';

const HOST = import.meta.dirname;
const VERSION = fs.readFileSync(path.join(HOST, 'version'), 'utf8').trim();
const VALUE_FLAGS = new Set(['-r', '--require']);

interface CommandLine {
  readonly preloads: string[];
  readonly inspect: number | undefined;
  readonly app: string | undefined;
}

/** Reads the arguments in Electron's order: flags first, then the app's path, then the arguments of the app. */
function readCommandLine(args: readonly string[]): CommandLine {
  const preloads: string[] = [];
  let inspect: number | undefined;
  for (let index = 0; index < args.length; index += 1) {
    const argument = args[index] ?? '';
    if (VALUE_FLAGS.has(argument)) {
      index += 1;
      preloads.push(args[index] ?? '');
    } else if (argument.startsWith('--inspect')) inspect = Number(argument.split('=')[1] ?? 9229);
    else if (!argument.startsWith('-')) return { preloads, inspect, app: argument };
  }
  return { preloads, inspect, app: undefined };
}

/** One hook handles `import`, `require` and the inspector's `require('electron')`. */
function serveElectron(): void {
  const url = pathToFileURL(path.join(HOST, 'electron.ts')).href;
  registerHooks({
    resolve(specifier, context, nextResolve) {
      if (specifier === 'electron' || specifier === 'electron/main') return { url, shortCircuit: true };
      return nextResolve(specifier, context);
    },
  });
}

/** The folder or script of the app: from the command line, otherwise next to the executable in a package. */
async function findApp(given: string | undefined): Promise<{ location: string; isPackaged: boolean }> {
  const resources = path.join(HOST, 'resources');
  if (fs.existsSync(path.join(resources, 'app.asar'))) {
    const { unpackAsar } = await import('./asar.ts');
    return { location: unpackAsar(path.join(resources, 'app.asar')), isPackaged: true };
  }
  if (given === undefined) throw new Error('Expected the path of an app: electron PATH [arguments]');
  return { location: path.resolve(given), isPackaged: false };
}

function describeApp(electron: typeof Electron, location: string, isPackaged: boolean): string {
  if (!fs.existsSync(location)) throw new Error(`Cannot find app: ${location}`);
  const isFolder = fs.statSync(location).isDirectory();
  const appPath = isFolder ? location : path.dirname(location);
  const file = path.join(appPath, 'package.json');
  const about = (fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {}) as Record<
    string,
    string
  >;
  const { name = 'electron', productName = name, version = VERSION, main = 'index.js' } = about;
  electron.App.describe(electron.app, { name: productName, version, appPath, isPackaged });
  return isFolder ? path.join(location, main) : location;
}

async function startChromium(electron: typeof Electron): Promise<void> {
  const [
    { Chromium },
    { Targets },
    { setRunning },
    { network },
    { markReady },
    { startNativeTheme },
    { dispatchMessage },
    { setDispatch },
  ] = await Promise.all([
    import('./chromium.ts'),
    import('./targets.ts'),
    import('./host.ts'),
    import('./network.ts'),
    import('./session.ts'),
    import('./native-theme.ts'),
    import('./page-dispatch.ts'),
    import('./web-contents.ts'),
  ]);
  const profile = electron.app.getPath('sessionData');
  const switches = electron.CommandLine.forChromium(electron.app.commandLine);
  const { chromium, version } = await Chromium.start({ profile, switches });
  const targets = new Targets(chromium);
  Object.defineProperty(process.versions, 'chrome', { value: version, enumerable: true });
  network.admitFrame = (frameId, isDocument) => targets.admitFrame(frameId, isDocument);
  setRunning({ chromium, targets });
  chromium.connection.on('closed', () => {
    if (electron.App.isOver(electron.app)) return;
    process.stderr.write(`Chromium has ended unexpectedly. Its last lines:\n${chromium.lastLines}\n`);
    process.exit(1);
  });
  await Promise.all([
    targets.start(),
    network.start(chromium.connection),
    // Denies all permissions for all origins, because the app grants none to its pages.
    chromium.connection.send('Browser.grantPermissions', { permissions: [] }),
  ]);
  setDispatch(dispatchMessage);
  startNativeTheme();
  electron.Screen.listen(electron.screen);
  markReady();
}

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes('--version') || args.includes('-v')) {
    process.stdout.write(`v${VERSION}\n`);
    return;
  }
  process.argv = [process.env['CHROMIUM_HOST_EXECUTABLE'] ?? process.execPath, ...args];
  delete process.env['CHROMIUM_HOST_EXECUTABLE'];
  const { preloads, inspect, app: given } = readCommandLine(args);
  // Not named `electron`, so that a product that checks its runtime gets the true one.
  Object.defineProperty(process.versions, 'chromium-host', { value: VERSION, enumerable: true });
  Object.assign(process, { type: 'browser', resourcesPath: path.join(HOST, 'resources') });
  serveElectron();
  if (inspect !== undefined) inspector.open(inspect);
  const electron = await import('./electron.ts');
  const require = createRequire(path.join(process.cwd(), 'electron'));
  for (const preload of preloads) require(preload);
  const { location, isPackaged } = await findApp(given);
  if (!isPackaged) Object.assign(process, { defaultApp: true });
  const script = describeApp(electron, location, isPackaged);
  await import(pathToFileURL(script).href);
  if (electron.App.isOver(electron.app)) return;
  await startChromium(electron);
  electron.App.makeReady(electron.app);
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
});
