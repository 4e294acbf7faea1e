import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { BrowserWindow, type BrowserWindowConstructorOptions, nativeTheme, screen, session } from 'electron';
import type { Logger } from '../core/ports.ts';
import { whenFree } from '../shared/busy-files.ts';
import { detached } from '../shared/detached.ts';
import * as z from '../shared/zod.ts';
import { windowIcon } from './desktop.ts';
import { APP_ORIGIN, isOwnPage } from './renderer-files.ts';
import { windowColourOf } from './window-colour.ts';

const windowState = z.object({
  x: z.number().optional(),
  y: z.number().optional(),
  width: z.number().min(400),
  height: z.number().min(300),
  isMaximized: z.boolean(),
  /** The last theme, because a window opens before the settings are read. */
  theme: z.enum(['system', 'light', 'dark']).optional(),
});
type WindowState = z.infer<typeof windowState>;
const FIRST_STATE: WindowState = { width: 1280, height: 800, isMaximized: false };

/** The options of the only window factory. All security options are explicit, although most are defaults. */
function windowOptions(
  preload: string,
  state: WindowState,
  icon: { icon?: string },
): BrowserWindowConstructorOptions {
  return {
    ...(state.x !== undefined && state.y !== undefined ? { x: state.x, y: state.y } : {}),
    width: state.width,
    height: state.height,
    minWidth: 1000,
    minHeight: 640,
    title: 'Spandeck',
    ...icon,
    backgroundColor: windowColourOf(nativeTheme.shouldUseDarkColors),
    webPreferences: {
      preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webSecurity: true,
      webviewTag: false,
      navigateOnDragDrop: false,
      // Disabled because on Linux and Windows the spell checker downloads dictionaries.
      spellcheck: false,
    },
  };
}

/** Denies every permission, navigation, new window and request that would leave the application. */
function lockDown(window: BrowserWindow, logger: Logger): void {
  const contents = window.webContents;
  contents.setWindowOpenHandler(({ url }) => {
    logger.warn('new window refused', { url: originOf(url) });
    return { action: 'deny' };
  });
  contents.on('will-navigate', (event) => {
    if (isOwnPage(event.url)) return;
    event.preventDefault();
    logger.warn('navigation refused', { url: originOf(event.url) });
  });
}

/** The part of the lock-down for the whole session; call it once, before the first window. */
export function lockDownSession(): void {
  session.defaultSession.setPermissionRequestHandler((_contents, _permission, decide) => decide(false));
  session.defaultSession.setPermissionCheckHandler(() => false);
  session.defaultSession.webRequest.onBeforeRequest({ urls: ['<all_urls>'] }, (details, decide) => {
    decide({ cancel: !/^(app|devtools|data|blob):/.test(details.url) });
  });
}

export function openWindow(options: { preload: string; stateFile: string; logger: Logger }): BrowserWindow {
  const state = readState(options.stateFile, options.logger);
  nativeTheme.themeSource = state.theme ?? 'system';
  const window = new BrowserWindow(
    windowOptions(options.preload, state, windowIcon(process.platform, dirname(options.preload))),
  );
  if (state.isMaximized) window.maximize();
  lockDown(window, options.logger);
  window.on('close', () => writeState(options.stateFile, window, options.logger));
  detached('loading the window', window.loadURL(`${APP_ORIGIN}/index.html`));
  return window;
}

function originOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? 'not a URL' : `${parsed.protocol}//${parsed.host}`;
}

function readState(file: string, logger: Logger): WindowState {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return FIRST_STATE;
    logger.warn('window state not read', { reason: String(thrown) });
    return FIRST_STATE;
  }
  const parsed = windowState.safeParse(parseJson(text));
  return parsed.success && isOnScreen(parsed.data) ? parsed.data : FIRST_STATE;
}

/** Whether a window would be visible. One that was last used on a monitor that is now missing would not be. */
function isOnScreen(state: WindowState): boolean {
  const { x, y } = state;
  if (x === undefined || y === undefined) return true;
  return screen
    .getAllDisplays()
    .some(
      ({ bounds }) =>
        x < bounds.x + bounds.width &&
        x + state.width > bounds.x &&
        y >= bounds.y - 10 &&
        y < bounds.y + bounds.height,
    );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return null;
    throw thrown;
  }
}

function writeState(file: string, window: BrowserWindow, logger: Logger): void {
  const state: WindowState = {
    ...window.getNormalBounds(),
    isMaximized: window.isMaximized(),
    theme: nativeTheme.themeSource,
  };
  try {
    writeFileSync(`${file}.new`, JSON.stringify(state), { mode: 0o600 });
    whenFree(() => renameSync(`${file}.new`, file));
  } catch (thrown) {
    logger.warn('window state not saved', { reason: String(thrown) });
  }
}
