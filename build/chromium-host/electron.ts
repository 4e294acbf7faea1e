/** The module that `import … from 'electron'` loads in main, with everything that the stand-in supports. */
export { App, app } from './app.ts';
export { BrowserWindow } from './browser-window.ts';
export type { Rectangle } from './chromium.ts';
export { Clipboard, clipboard } from './clipboard.ts';
export { CommandLine } from './command-line.ts';
export {
  Dialog,
  dialog,
  type MessageBoxOptions,
  type OpenDialogOptions,
  type SaveDialogOptions,
} from './dialog.ts';
export { IpcMain, type IpcMainEvent, type IpcMainInvokeEvent, ipcMain } from './ipc-main.ts';
export { Menu, MenuItem, type MenuItemConstructorOptions } from './menu.ts';
export { NativeImage } from './native-image.ts';
export { NativeTheme, nativeTheme } from './native-theme.ts';
export { type CustomScheme, Protocol, protocol, Session, session, WebRequest } from './session.ts';
export { Shell, shell } from './shell.ts';
export {
  type Display,
  Net,
  Notification,
  type NotificationConstructorOptions,
  net,
  PowerMonitor,
  PowerSaveBlocker,
  powerMonitor,
  powerSaveBlocker,
  Screen,
  screen,
} from './system.ts';
export type { PreventableEvent as Event } from './unsupported.ts';
export { UtilityProcess, UtilityProcess as utilityProcess } from './utility-process.ts';
export {
  type HandlerDetails,
  type PrintToPDFOptions,
  WebContents,
  WebContents as webContents,
} from './web-contents.ts';
export { WebFrameMain } from './web-frame-main.ts';
export type { BrowserWindowConstructorOptions, WebPreferences } from './window-options.ts';
