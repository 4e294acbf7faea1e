/** The runtime of the app on this computer: Electron if its binary exists, otherwise the Chromium host. */
import * as fs from 'node:fs';
import * as path from 'node:path';

export const ROOT = path.resolve(import.meta.dirname, '..');
const HOST = path.join(ROOT, 'build', 'chromium-host');

export interface Runtime {
  readonly name: 'Electron' | 'Chromium host';
  /** A folder with the layout of an Electron distribution. */
  readonly dist: string;
  readonly executable: string;
  readonly version: string;
}

/** Path of the executable in an Electron distribution, as in Electron's own package. */
const EXECUTABLES: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: 'Electron.app/Contents/MacOS/Electron',
  win32: 'electron.exe',
};

/** Variable of Electron, its npm package and Playwright that names the folder of another distribution. */
const OVERRIDE = 'ELECTRON_OVERRIDE_DIST_PATH';

/**
 * Electron from the distribution named by ELECTRON_OVERRIDE_DIST_PATH, otherwise from the npm package. If there is
 * none, the reason as a sentence.
 */
export function findElectron(env: NodeJS.ProcessEnv): Runtime | { readonly missing: string } {
  const named = env[OVERRIDE] ?? '';
  const dist = named === '' ? path.join(ROOT, 'node_modules', 'electron', 'dist') : path.resolve(named);
  const executable = path.join(dist, EXECUTABLES[process.platform] ?? 'electron');
  const versionFile = path.join(dist, 'version');
  if (dist === HOST) return { missing: `${OVERRIDE} names the Chromium host, which is not Electron.` };
  const absent = [versionFile, executable].find((file) => !fs.existsSync(file));
  if (absent === undefined) {
    const version = fs.readFileSync(versionFile, 'utf8').trim().replace(/^v/, '');
    return { name: 'Electron', dist, executable, version };
  }
  const next =
    named === ''
      ? `Fetch it with npm start -- --electron (a mirror goes into ELECTRON_MIRROR), or name a folder that has it in ${OVERRIDE}.`
      : `${OVERRIDE} must name the folder of an unpacked Electron.`;
  return {
    missing: `Expected Electron's binary in ${dist}, found no ${path.basename(absent)} there. ${next}`,
  };
}

/** The runtime on this computer. Only Linux has the Chromium host as a fallback. */
export function findRuntime(env: NodeJS.ProcessEnv = process.env): Runtime {
  const found = findElectron(env);
  if ('name' in found) return found;
  const isWrong = (env[OVERRIDE] ?? '') !== '' && path.resolve(env[OVERRIDE] ?? '') !== HOST;
  if (isWrong || process.platform !== 'linux') throw new Error(found.missing);
  const version = fs.readFileSync(path.join(HOST, 'version'), 'utf8').trim();
  return { name: 'Chromium host', dist: HOST, executable: path.join(HOST, 'electron'), version };
}
