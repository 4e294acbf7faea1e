/**
 * Integration with the desktop: the application's name, its links and its executable. Decisions by platform, and one
 * action.
 */
import { join } from 'node:path';
import { methodOf, partOf } from './runtime-parts.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Must equal the id in the installer's shortcut; otherwise notifications have no name, and the task bar shows two
 * groups.
 */
const APP_ID = 'invalid.spandeck';
const LINK_SCHEME = 'spandeck';

/**
 * The program file that a person starts. The portable build for Windows unpacks itself to a temporary folder and runs
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
 * Registers the application with Windows before the first window; on other systems the package does that. Links are
 * registered only for a packaged application, because in development they would start Electron itself.
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

/** The window's icon if the executable contains none, as on X11 and Wayland, which know only the installed icon. */
export function windowIcon(
  platform: NodeJS.Platform,
  folder: string,
): { icon: string } | Record<string, never> {
  return platform === 'linux' ? { icon: join(folder, 'icon.png') } : {};
}

/** Variables without which a Windows process finds no network, no libraries and no temporary folder. */
const NEEDED_ON_WINDOWS = new Set(['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'TEMP', 'TMP', 'PATH']);

/**
 * Environment of a utility process, empty if possible, because the child needs none of it. In contrast to Node,
 * Electron passes on exactly the given environment. Names of variables keep their case.
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

/**
 * Whether the desktop has a place for tray icons. GNOME itself has none, but Ubuntu's version has. Without an icon, a
 * hidden window could not be found again.
 */
export function hasTrayPlace(platform: NodeJS.Platform, environment: Environment): boolean {
  if (platform !== 'linux') return true;
  const desktops = (environment['XDG_CURRENT_DESKTOP'] ?? '').toLowerCase().split(':');
  return !desktops.includes('gnome') || desktops.includes('ubuntu');
}
