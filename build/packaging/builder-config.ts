/** electron-builder's configuration for all platforms. */
import * as path from 'node:path';
import type { Configuration, MacConfiguration } from 'electron-builder';
import { ROOT, type Runtime } from '../runtime.ts';
import { ICONS } from './icon-set.ts';

export const OUTPUT = path.join(ROOT, 'release');
const PACKAGING = import.meta.dirname;

/** Fuses: features that a packaged Electron must not have, although the development one may. */
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
    // The app serves its pages through its own scheme.
    grantFileProtocolExtraPrivileges: false,
  };

const NODE_PACKAGE = 'node_modules/node-linux-*';

/**
 * Files next to the archive: native code, and everything run by a plain Node, which cannot read archives: the command
 * line, the worker threads, and the packages that they load.
 */
const PLAIN_FILES = [
  '**/*.node',
  'package.json',
  'dist/cli*.js',
  'dist/start-cli.cjs',
  'dist/*-worker.js',
  'dist/*-worker-*.js',
  'dist/analysis-process.js',
  '**/node_modules/@duckdb/**',
  '**/node_modules/better-sqlite3/**',
  '**/node_modules/keytar/**',
];

/** Native code for other systems, which the packages include, and sources that only a compiler reads. */
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

/**
 * Signing: uses the certificate named in the environment. Without one, macOS builds get an ad-hoc signature, because a
 * computer with Apple silicon ends every unsigned program, and flipping fuses invalidates Electron's signature.
 */
function macSigning(env: NodeJS.ProcessEnv): Pick<MacConfiguration, 'identity' | 'hardenedRuntime'> {
  const isSigned = ['CSC_LINK', 'CSC_NAME'].some((name) => (env[name] ?? '') !== '');
  // With the hardened runtime and no team, no library of Electron could be loaded.
  return isSigned ? { hardenedRuntime: true } : { identity: '-', hardenedRuntime: false };
}

/** File types for which "Open with" offers Spandeck; opening one prepares it for an upload. */
const FILE_TYPES: NonNullable<Configuration['fileAssociations']> = [
  { ext: 'csv', name: 'CSV table', description: 'Prepare for upload', role: 'Viewer', rank: 'Alternate' },
  { ext: 'jsonl', name: 'JSON Lines', description: 'Prepare for upload', role: 'Viewer', rank: 'Alternate' },
  { ext: 'ndjson', name: 'JSON Lines', description: 'Prepare for upload', role: 'Viewer', rank: 'Alternate' },
  {
    ext: 'parquet',
    name: 'Parquet table',
    description: 'Prepare for upload',
    role: 'Viewer',
    rank: 'Alternate',
  },
];

/** The script that starts the command line, next to the archive: `name` within the package. */
const commandLine = (from: string, to: string) => ({ from: path.join(PACKAGING, from), to });

/**
 * `env`: NOTARIZE=1 on macOS; electron-builder itself reads the certificates (CSC_LINK, CSC_KEY_PASSWORD, WIN_CSC_LINK,
 * APPLE_ID, APPLE_APP_SPECIFIC_PASSWORD, APPLE_TEAM_ID).
 */
export function configuration(runtime: Runtime, env: NodeJS.ProcessEnv): Configuration {
  const isLinux = process.platform === 'linux';
  return {
    appId: 'invalid.spandeck',
    productName: 'Spandeck',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: electron-builder fills these in.
    artifactName: 'spandeck-${version}-${os}-${arch}.${ext}',
    directories: { output: OUTPUT, buildResources: ICONS },
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
      // The command line runs on this Node, and so does the Chromium host if Electron's binary is not available.
      isLinux ? `!**/${NODE_PACKAGE}/{include,share}{,/**}` : `!**/${NODE_PACKAGE}{,/**}`,
    ],
    asarUnpack: [...PLAIN_FILES, ...(isLinux ? [`**/${NODE_PACKAGE}/**`] : [])],
    electronFuses: { ...FUSES, resetAdHocDarwinSignature: true },
    protocols: [{ name: 'Spandeck', schemes: ['spandeck'] }],
    linux: {
      fileAssociations: FILE_TYPES,
      icon: ICONS,
      category: 'Development',
      executableName: 'spandeck',
      syncDesktopName: true,
      extraFiles: [commandLine('linux/command-line.sh', 'bin/spandeck')],
    },
    mac: {
      fileAssociations: FILE_TYPES,
      ...macSigning(env),
      icon: path.join(ICONS, 'icon.icns'),
      category: 'public.app-category.developer-tools',
      entitlements: path.join(PACKAGING, 'macos/entitlements.plist'),
      entitlementsInherit: path.join(PACKAGING, 'macos/entitlements.plist'),
      notarize: env['NOTARIZE'] === '1',
      extraResources: [commandLine('macos/command-line.sh', 'bin/spandeck')],
    },
    win: {
      icon: path.join(ICONS, 'icon.ico'),
      extraResources: [commandLine('windows/spandeck.cmd', 'bin/spandeck.cmd')],
    },
    // No fileAssociations here: electron-builder would make Spandeck the default program for CSV files.
    nsis: {
      oneClick: false,
      allowToChangeInstallationDirectory: true,
      deleteAppDataOnUninstall: false,
      include: path.join(PACKAGING, 'windows/installer.nsh'),
    },
    // Two targets of one platform must not write the same file.
    // biome-ignore lint/suspicious/noTemplateCurlyInString: electron-builder fills these in.
    portable: { artifactName: 'spandeck-${version}-${os}-${arch}-portable.${ext}' },
    // There is no check for updates.
    publish: null,
  };
}
