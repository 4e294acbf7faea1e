/** Which runtime the app has here: Electron where its binary is, else the Chromium host. */
import * as fs from 'node:fs';
import * as path from 'node:path';

export const ROOT = path.resolve(import.meta.dirname, '..');
const HOST = path.join(ROOT, 'build', 'chromium-host');

export interface Runtime {
  readonly name: 'Electron' | 'Chromium host';
  /** A folder in the shape of an Electron distribution. */
  readonly dist: string;
  readonly executable: string;
  readonly version: string;
}

/** Electron's executable inside its distribution, as Electron's own package names it. */
const EXECUTABLES: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: 'Electron.app/Contents/MacOS/Electron',
  win32: 'electron.exe',
};

/** The runtime for this machine. Only Linux has the Chromium host to fall back on. */
export function findRuntime(): Runtime {
  const dist = path.join(ROOT, 'node_modules', 'electron', 'dist');
  const versionFile = path.join(dist, 'version');
  const name = EXECUTABLES[process.platform] ?? 'electron';
  if (fs.existsSync(versionFile)) {
    const version = fs.readFileSync(versionFile, 'utf8').trim().replace(/^v/, '');
    return { name: 'Electron', dist, executable: path.join(dist, name), version };
  }
  if (process.platform !== 'linux') {
    throw new Error(
      `Expected Electron's binary in ${dist}, found none. Fetch it with npm start -- --electron (a mirror goes into ELECTRON_MIRROR).`,
    );
  }
  const version = fs.readFileSync(path.join(HOST, 'version'), 'utf8').trim();
  return { name: 'Chromium host', dist: HOST, executable: path.join(HOST, 'electron'), version };
}
