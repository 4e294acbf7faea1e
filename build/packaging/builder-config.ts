/** The configuration of electron-builder for all platforms. */
import * as path from 'node:path';
import type { Configuration, MacConfiguration } from 'electron-builder';
import { ROOT, type Runtime } from '../runtime.ts';
import { ICONS } from './icon-set.ts';

export const OUTPUT = path.join(ROOT, 'release');
const PACKAGING = import.meta.dirname;

/** Fuses that disable features which a packaged Electron must not have, although the one for development may. */
export const FUSES: Required<Omit<NonNullable<Configuration['electronFuses']>, 'resetAdHocDarwinSignature'>> =
  {
    runAsNode: false,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    onlyLoadAppFromAsar: true,
    enableEmbeddedAsarIntegrityValidation: process.platform !== 'linux',
    // Disabled because the app sets no cookies, and on Linux it would ask for the keyring at every start.
    enableCookieEncryption: false,
    loadBrowserProcessSpecificV8Snapshot: false,
    // Disabled because the app serves its pages through its own scheme.
    grantFileProtocolExtraPrivileges: false,
  };

const NODE_PACKAGE = 'node_modules/node-linux-*';

/**
 * Files that are next to the archive and not in it: native code, and everything that plain Node runs, which cannot read
 * archives. That is the command line, the worker threads, and the packages that they load.
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

/** Native code for other systems that packages contain, and sources that only a compiler reads. */
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
 * Signs with the certificate named in the environment. Without one, macOS builds get an ad-hoc signature, because a
 * computer with Apple silicon ends every unsigned program, and setting fuses invalidates Electron's signature.
 */
function macSigning(env: NodeJS.ProcessEnv): Pick<MacConfiguration, 'identity' | 'hardenedRuntime'> {
  const isSigned = ['CSC_LINK', 'CSC_NAME'].some((name) => (env[name] ?? '') !== '');
  // With the hardened runtime but no team, no library of Electron could be loaded.
  return isSigned ? { hardenedRuntime: true } : { identity: '-', hardenedRuntime: false };
}

/** File types for which "Open with" offers Spandeck; opening a file prepares it for an upload. */
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

/** The script that starts the command line, next to the archive. `to` is its name in the package. */
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
    // Not needed, because Node-API prebuilds work with every runtime.
    npmRebuild: false,
    files: [
      'dist/**',
      '!dist/.*{,/**}',
      'package.json',
      'LICENSE',
      ...foreignFiles(),
      // The command line uses this Node, and so does the Chromium host if Electron's binary is missing.
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
    // Without fileAssociations, because electron-builder would make Spandeck the default program for CSV files.
    nsis: {
      oneClick: false,
      allowToChangeInstallationDirectory: true,
      deleteAppDataOnUninstall: false,
      include: path.join(PACKAGING, 'windows/installer.nsh'),
    },
    // Two targets of one platform must not write the same file.
    // biome-ignore lint/suspicious/noTemplateCurlyInString: electron-builder fills these in.
    portable: { artifactName: 'spandeck-${version}-${os}-${arch}-portable.${ext}' },
    // Disabled because there is no check for updates.
    publish: null,
  };
}
