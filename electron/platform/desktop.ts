/** Desktop integration: the application's name, its links and its executable. Decisions by platform, and one action. */
import { join } from 'node:path';
import { methodOf, partOf } from './runtime-parts.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Must equal the id in the installer's shortcut: else notifications have no name and the task bar shows two groups. */
const APP_ID = 'invalid.spandeck';
const LINK_SCHEME = 'spandeck';

/**
 * The program file that a person starts: the portable build for Windows unpacks itself into a temporary folder and runs
 * there.
 */
export function startedProgram(
  platform: NodeJS.Platform,
  execPath: string,
  environment: Environment,
): string {
  const portable = environment['PORTABLE_EXECUTABLE_FILE'];
  return platform === 'win32' && portable !== undefined && portable !== '' ? portable : execPath;
}

/**
 * Registers the application with Windows, before the first window; elsewhere the package does it. Links are registered
 * only for a packaged application: in development they would start Electron itself.
 */
export function introduceToDesktop(
  runtime: object,
  of: { platform: NodeJS.Platform; program: string; isPackaged: boolean },
): void {
  if (of.platform !== 'win32') return;
  const app = partOf(runtime, 'app');
  methodOf(app, 'setAppUserModelId')?.(APP_ID);
  if (of.isPackaged) methodOf(app, 'setAsDefaultProtocolClient')?.(LINK_SCHEME, of.program, []);
}

/** The window's icon if the executable has none: X11 and Wayland only know the installed icon. */
export function windowIcon(
  platform: NodeJS.Platform,
  folder: string,
): { icon: string } | Record<string, never> {
  return platform === 'linux' ? { icon: join(folder, 'icon.png') } : {};
}

/** Without these a Windows process finds no network, no libraries and no temporary folder. */
const NEEDED_ON_WINDOWS = new Set(['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'TEMP', 'TMP', 'PATH']);

/**
 * Environment of a utility process: empty if possible, because the child needs none of it. Unlike Node, Electron passes
 * on exactly what it is given. Variable names keep their case.
 */
export function childEnvironment(
  platform: NodeJS.Platform,
  environment: Environment,
): Record<string, string> {
  if (platform !== 'win32') return {};
  const needed = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && NEEDED_ON_WINDOWS.has(name.toUpperCase()) ? [[name, value] as const] : [],
  );
  return Object.fromEntries(needed);
}

/** Stock GNOME has no place for tray icons; Ubuntu's has. A window hidden there could not be found again. */
export function hasTrayPlace(platform: NodeJS.Platform, environment: Environment): boolean {
  if (platform !== 'linux') return true;
  const desktops = (environment['XDG_CURRENT_DESKTOP'] ?? '').toLowerCase().split(':');
  return !desktops.includes('gnome') || desktops.includes('ubuntu');
}
