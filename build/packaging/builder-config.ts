/** electron-builder's configuration: all there is, for every platform. */
import * as path from 'node:path';
import type { Configuration, MacConfiguration } from 'electron-builder';
import { ROOT, type Runtime } from '../runtime.ts';
import { ICONS } from './icon-set.ts';

export const OUTPUT = path.join(ROOT, 'release');
const PACKAGING = import.meta.dirname;

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

const NODE_PACKAGE = 'node_modules/node-linux-*';

/**
 * What lies beside the archive as plain files: native code, and all that a plain Node runs, which reads no archive: the
 * command line, the worker threads, and the packages that they load.
 */
const PLAIN_FILES = [
  '**/*.node',
  'package.json',
  'dist/cli*.js',
  'dist/start-cli.cjs',
  'dist/*-worker.js',
  'dist/analysis-process.js',
  '**/node_modules/@duckdb/**',
  '**/node_modules/better-sqlite3/**',
  '**/node_modules/keytar/**',
];

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

/**
 * Whoever signs: the certificate that the environment names; without one, macOS builds get an ad-hoc signature, because
 * a computer with Apple's own processor ends every program that has none, and flipping fuses breaks the one of Electron.
 */
function macSigning(env: NodeJS.ProcessEnv): Pick<MacConfiguration, 'identity' | 'hardenedRuntime'> {
  const isSigned = ['CSC_LINK', 'CSC_NAME'].some((name) => (env[name] ?? '') !== '');
  // With the hardened runtime and no team, no library of Electron could be loaded.
  return isSigned ? { hardenedRuntime: true } : { identity: '-', hardenedRuntime: false };
}

/** Kinds of files that "Open with" offers Spandeck for; opening one prepares it for an upload. */
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

/** The script that starts the command line, beside the archive: `name` within the package. */
const commandLine = (from: string, to: string) => ({ from: path.join(PACKAGING, from), to });

/**
 * `env`: NOTARIZE=1 on macOS; electron-builder itself reads the certificates
 * (CSC_LINK, CSC_KEY_PASSWORD, WIN_CSC_LINK, APPLE_ID, APPLE_APP_SPECIFIC_PASSWORD, APPLE_TEAM_ID).
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
      // The command line runs on this Node, and where Electron's binary is not to be had, the Chromium host too.
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
    // Here no fileAssociations: electron-builder would make Spandeck the program that opens every CSV file.
    nsis: {
      oneClick: false,
      allowToChangeInstallationDirectory: true,
      deleteAppDataOnUninstall: false,
      include: path.join(PACKAGING, 'windows/installer.nsh'),
    },
    // Two targets of one platform must not write one file.
    // biome-ignore lint/suspicious/noTemplateCurlyInString: electron-builder fills these in.
    portable: { artifactName: 'spandeck-${version}-${os}-${arch}-portable.${ext}' },
    // Nothing asks for updates.
    publish: null,
  };
}
