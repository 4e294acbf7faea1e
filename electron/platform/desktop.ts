/** What an application is to its desktop: its name, its links, where it is started from. Decisions by platform, and one act. */
import { join } from 'node:path';
import { methodOf, partOf } from './runtime-parts.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** As in the shortcut that the installer makes: else notifications have no name and the task bar shows two groups. */
const APP_ID = 'invalid.spandeck';
const LINK_SCHEME = 'spandeck';

/** What a person starts: the portable build of Windows unpacks itself into a temporary folder and runs there. */
export function startedProgram(
  platform: NodeJS.Platform,
  execPath: string,
  environment: Environment,
): string {
  const portable = environment['PORTABLE_EXECUTABLE_FILE'];
  return platform === 'win32' && portable !== undefined && portable !== '' ? portable : execPath;
}

/**
 * Tells Windows who this is, before the first window: elsewhere the package says it. Links are registered for a packaged
 * application only: in development they would lead to Electron itself.
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

/** The picture of the window where its own file does not carry one: X11 and Wayland know the installed icon only. */
export function windowIcon(
  platform: NodeJS.Platform,
  folder: string,
): { icon: string } | Record<string, never> {
  return platform === 'linux' ? { icon: join(folder, 'icon.png') } : {};
}

/** Without these a process of Windows finds no network, no libraries and no place for temporary files. */
const NEEDED_ON_WINDOWS = new Set(['SYSTEMROOT', 'SYSTEMDRIVE', 'WINDIR', 'TEMP', 'TMP', 'PATH']);

/**
 * Environment of a utility process: nothing where nothing is needed, because no part of it is the child's business.
 * Electron hands over what it is given and adds nothing, unlike Node. Names keep the letters that they came with.
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

/** GNOME as it comes has no place for icons beside the clock; Ubuntu's has. A window hidden there could not be found again. */
export function hasTrayPlace(platform: NodeJS.Platform, environment: Environment): boolean {
  if (platform !== 'linux') return true;
  const desktops = (environment['XDG_CURRENT_DESKTOP'] ?? '').toLowerCase().split(':');
  return !desktops.includes('gnome') || desktops.includes('ubuntu');
}
