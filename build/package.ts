/**
 * `npm run package`: an unpacked, runnable app of this platform in release/, by electron-builder.
 *
 * Where Electron's binary is missing, the Chromium host takes its place; the package then brings its own Node
 * and needs a Chromium on the machine it runs on.
 */
import * as fs from 'node:fs';
import * as path from 'node:path';
import type { Configuration } from 'electron-builder';
import { BundleError, bundle } from './bundle.ts';
import { findRuntime, ROOT, type Runtime } from './runtime.ts';

const OUTPUT = path.join(ROOT, 'release');

/** What a packaged Electron must no longer do, although the development one may. */
export const FUSES: Required<Omit<NonNullable<Configuration['electronFuses']>, 'resetAdHocDarwinSignature'>> =
  {
    runAsNode: false,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    onlyLoadAppFromAsar: true,
    enableEmbeddedAsarIntegrityValidation: process.platform !== 'linux',
    // The app sets no cookies, and on Linux this would ask for the keyring at every start.
    enableCookieEncryption: false,
    loadBrowserProcessSpecificV8Snapshot: false,
    // The app serves its pages by its own scheme.
    grantFileProtocolExtraPrivileges: false,
  };

/** Native code of other systems, which the packages bring along, and sources that only a compiler reads. */
function foreignFiles(): string[] {
  const here = `${process.platform}-${process.arch}`;
  const foreign = ['darwin', 'linux', 'linuxmusl', 'win32'].flatMap((system) =>
    ['arm', 'arm64', 'armv7l', 'ia32', 'x64'].map((cpu) => `${system}-${cpu}`),
  );
  const prebuilds = foreign
    .filter((name) => name !== here)
    .map((name) => `!**/prebuilds/${name}{.node,,/**}`);
  return [...prebuilds, '!**/better-sqlite3/{deps,src}{,/**}', '!**/keytar/{src,script}{,/**}'];
}

/** electron-builder's configuration: all there is. */
export function configuration(runtime: Runtime): Configuration {
  const isHost = runtime.name === 'Chromium host';
  const nodePackage = 'node_modules/node-linux-*';
  return {
    appId: 'invalid.spandeck',
    productName: 'Spandeck',
    directories: { output: OUTPUT, buildResources: path.join(ROOT, 'build') },
    electronVersion: runtime.version,
    electronDist: runtime.dist,
    // Node-API prebuilds serve every runtime.
    npmRebuild: false,
    files: [
      'dist/**',
      '!dist/.*{,/**}',
      'package.json',
      'LICENSE',
      ...foreignFiles(),
      // Electron brings its own Node; the Chromium host runs on this one.
      isHost ? `!**/${nodePackage}/{include,share}{,/**}` : `!**/${nodePackage}{,/**}`,
    ],
    // The engine's library must lie beside its .node file.
    asarUnpack: ['**/*.node', '**/@duckdb/node-bindings-*/**', ...(isHost ? [`**/${nodePackage}/**`] : [])],
    electronFuses: FUSES,
    linux: { target: 'dir', category: 'Development', executableName: 'spandeck', syncDesktopName: true },
    mac: { target: 'dir', category: 'public.app-category.developer-tools' },
    win: { target: 'dir' },
    publish: null,
  };
}

/** The executable that `packageApp` leaves. */
export function packagedExecutable(): string {
  switch (process.platform) {
    case 'darwin':
      return path.join(
        OUTPUT,
        `mac${process.arch === 'arm64' ? '-arm64' : ''}`,
        'Spandeck.app/Contents/MacOS/Spandeck',
      );
    case 'win32':
      return path.join(OUTPUT, 'win-unpacked', 'Spandeck.exe');
    default:
      return path.join(
        OUTPUT,
        process.arch === 'arm64' ? 'linux-arm64-unpacked' : 'linux-unpacked',
        'spandeck',
      );
  }
}

/** Builds what is stale and packages it; rejects with electron-builder's own reason. */
export async function packageApp(say: (line: string) => void): Promise<void> {
  await bundle(say, { only: 'window' });
  const runtime = findRuntime();
  const startedAt = performance.now();
  fs.rmSync(path.dirname(packagedExecutable()), { recursive: true, force: true });
  const { build, Platform } = await import('electron-builder');
  await build({
    projectDir: ROOT,
    targets: Platform.current().createTarget('dir'),
    config: configuration(runtime),
  });
  say(
    `package: ${packagedExecutable()} on ${runtime.name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`,
  );
}

if (import.meta.main) {
  await packageApp((line) => process.stdout.write(`${line}\n`)).catch((error: unknown) => {
    process.stderr.write(`${error instanceof BundleError ? error.message : String(error)}\n`);
    // Not `process.exitCode`: electron-builder's exit hook ends the process with 0 all the same.
    process.exit(1);
  });
}
