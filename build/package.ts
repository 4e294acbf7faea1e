/**
 * `npm run package`: builds the installers for this platform in release/.
 *
 *   npm run package [-- --folder] [-- --check]
 *
 * Linux: deb, rpm, tar.gz, the command line as an npm package, and an AppImage if electron-builder can download its
 * tool; macOS: dmg and zip; Windows: nsis and portable; on every platform also a folder that runs without installation.
 * `--folder` builds only that folder; `--check` installs the deb in a separate root, starts it and removes it again.
 *
 * If Electron's binary is missing, the Chromium host replaces it; the package then needs a Chromium on the machine it
 * runs on.
 */
import * as fs from 'node:fs';
import * as path from 'node:path';
import { parseArgs } from 'node:util';
import { BundleError, bundle } from './bundle.ts';
import { configuration, OUTPUT } from './packaging/builder-config.ts';
import { checkDeb } from './packaging/check-deb.ts';
import { linuxPackages, type Made } from './packaging/linux-packages.ts';
import { bytesOf } from './packaging/linux-tree.ts';
import { unreachable } from './packaging/network.ts';
import { findRuntime, type Runtime } from './runtime.ts';

type Say = (line: string) => void;

/** The executable in the folder built by `packageFolder`. */
export function packagedExecutable(): string {
  const arch = process.arch === 'arm64' ? '-arm64' : '';
  switch (process.platform) {
    case 'darwin':
      return path.join(OUTPUT, `mac${arch}`, 'Spandeck.app/Contents/MacOS/Spandeck');
    case 'win32':
      return path.join(OUTPUT, `win${arch}-unpacked`, 'Spandeck.exe');
    default:
      return path.join(OUTPUT, `linux${arch}-unpacked`, 'spandeck');
  }
}

const TARGETS: Readonly<Partial<Record<NodeJS.Platform, string[]>>> = {
  darwin: ['dmg', 'zip'],
  win32: ['nsis', 'portable'],
};

const seconds = (startedAt: number): string => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** Runs electron-builder for `targets`; rejects with its error. */
async function buildTargets(targets: readonly string[], runtime: Runtime): Promise<void> {
  const { build, Platform } = await import('electron-builder');
  await build({
    targets: Platform.current().createTarget([...targets]),
    config: configuration(runtime, process.env),
    publish: 'never',
  });
}

/** Builds stale parts, and the folder that runs without installation. */
async function packageFolder(say: Say, runtime: Runtime): Promise<void> {
  const startedAt = performance.now();
  await bundle(say);
  const folder = path.dirname(packagedExecutable());
  fs.rmSync(folder, { recursive: true, force: true });
  await buildTargets(['dir'], runtime);
  say(
    `package: ${packagedExecutable()} on ${runtime.name}, ${megabytes(bytesOf(folder))} (${seconds(startedAt)})`,
  );
}

/** Builds the installers. Formats whose tools are missing are reported, and the others are built. */
async function packageFormats(runtime: Runtime): Promise<Made[]> {
  if (process.platform !== 'linux') {
    const targets = TARGETS[process.platform] ?? ['zip'];
    await buildTargets(targets, runtime);
    return [];
  }
  const made = await linuxPackages(path.dirname(packagedExecutable()), runtime);
  const reason = await unreachable(process.env);
  if (reason !== undefined)
    return [...made, { name: 'AppImage', missing: `its tool is fetched, and ${reason}` }];
  await buildTargets(['AppImage'], runtime);
  return made;
}

async function main(say: Say): Promise<void> {
  const { values } = parseArgs({ options: { folder: { type: 'boolean' }, check: { type: 'boolean' } } });
  const runtime = findRuntime();
  await packageFolder(say, runtime);
  if (values.folder === true) return;
  const startedAt = performance.now();
  const all = await packageFormats(runtime);
  for (const made of all) {
    if ('file' in made) say(`package: ${made.file}, ${megabytes(fs.statSync(made.file).size)}`);
    else say(`package: no ${made.name}: ${made.missing}`);
  }
  say(`package: all formats (${seconds(startedAt)})`);
  if (values.check !== true) return;
  const deb = all.flatMap((made) => ('file' in made && made.file.endsWith('.deb') ? [made.file] : []))[0];
  if (deb === undefined) throw new Error('Expected a deb to check, none was made.');
  await checkDeb(deb, runtime, say);
}

if (import.meta.main) {
  await main((line) => process.stdout.write(`${line}\n`)).catch((error: unknown) => {
    process.stderr.write(
      `${error instanceof BundleError || !(error instanceof Error) ? String(error) : (error.stack ?? error.message)}\n`,
    );
    // Exits directly, because electron-builder's exit hook ends the process with 0 whatever `process.exitCode` is.
    process.exit(1);
  });
}
