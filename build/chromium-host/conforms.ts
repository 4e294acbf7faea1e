/**
 * Checked by tsc and never run: the stand-in has no member that Electron lacks, and its return types fit Electron's.
 * (The other check, tsconfig.host.json, ensures that the product uses nothing that the stand-in lacks.) A failure names
 * the member: `Type '"setFoo"' does not satisfy the constraint 'never'`.
 */
import type { EventEmitter } from 'node:events';
import type * as Electron from 'electron';
import type * as Host from './electron.ts';
import type { PreloadModule } from './page/preload-module.ts';

type Own<T> = Exclude<keyof T, keyof EventEmitter | 'prototype'>;

/** Objects of the stand-in are compared member by member at their declaration, not where they are returned. */
type HostObject =
  | Host.BrowserWindow
  | Host.CommandLine
  | Host.Display
  | Host.Menu
  | Host.MenuItem
  | Host.NativeImage
  | Host.Session
  | Host.WebContents
  | Host.WebFrameMain;

type Fits<H, E> = [H] extends [Promise<infer Inner>]
  ? [E] extends [Promise<infer Outer>]
    ? Fits<Inner, Outer>
    : false
  : [H] extends [(infer Inner)[]]
    ? [E] extends [(infer Outer)[]]
      ? Fits<Inner, Outer>
      : false
    : [Exclude<H, HostObject>] extends [E]
      ? true
      : false;

// biome-ignore lint/suspicious/noExplicitAny: matches any function; the other check covers parameters.
type AnyFunction = (...args: any[]) => unknown;

type MemberFits<H, E> = [H] extends [AnyFunction]
  ? [E] extends [AnyFunction]
    ? Fits<ReturnType<H>, ReturnType<E>>
    : // A member that Electron types as plain `Function`.
      [AnyFunction] extends [E]
      ? true
      : false
  : H extends HostObject | Host.Protocol | Host.WebRequest
    ? true
    : Fits<H, E>;

/** Names of the members of H that E lacks or defines differently. */
type Problems<H, E> = {
  [Key in Own<H>]: Key extends keyof E ? (MemberFits<H[Key], E[Key]> extends true ? never : Key) : Key;
}[Own<H>];

/** Names of the options of H that E does not have. */
type UnknownOptions<H, E> = Exclude<keyof H, keyof E>;

declare function conforms<_Names extends never>(): void;

/** All comparisons, which also list everything that the stand-in covers. */
export function checks(): void {
  conforms<Problems<Host.App, Electron.App>>();
  conforms<Problems<Host.BrowserWindow, Electron.BrowserWindow>>();
  conforms<Exclude<Problems<typeof Host.BrowserWindow, typeof Electron.BrowserWindow>, 'isClosing'>>();
  conforms<Problems<Host.Clipboard, Electron.Clipboard>>();
  conforms<Problems<Host.CommandLine, Electron.CommandLine>>();
  conforms<Problems<Host.Dialog, Electron.Dialog>>();
  conforms<Problems<Host.Display, Electron.Display>>();
  conforms<Problems<Host.IpcMain, Electron.IpcMain>>();
  conforms<Problems<Host.IpcMainInvokeEvent, Electron.IpcMainInvokeEvent>>();
  conforms<Problems<Host.Menu, Electron.Menu>>();
  // Electron lists the roles; the stand-in accepts any role, and implements a few.
  conforms<Exclude<Problems<Host.MenuItem, Electron.MenuItem>, 'role'>>();
  conforms<Problems<typeof Host.Menu, typeof Electron.Menu>>();
  conforms<Problems<Host.NativeImage, Electron.NativeImage>>();
  conforms<Problems<Host.NativeTheme, Electron.NativeTheme>>();
  conforms<Problems<Host.Net, Electron.Net>>();
  conforms<Problems<Host.Notification, Electron.Notification>>();
  conforms<Problems<typeof Host.Notification, typeof Electron.Notification>>();
  conforms<Problems<Host.PowerMonitor, Electron.PowerMonitor>>();
  conforms<Problems<Host.PowerSaveBlocker, Electron.PowerSaveBlocker>>();
  conforms<Problems<Host.Protocol, Electron.Protocol>>();
  conforms<Problems<Host.Screen, Electron.Screen>>();
  conforms<Problems<Host.Session, Electron.Session>>();
  conforms<Problems<Host.Shell, Electron.Shell>>();
  conforms<Problems<Host.WebContents, Electron.WebContents>>();
  conforms<Exclude<Problems<typeof Host.WebContents, typeof Electron.webContents>, 'targetOf' | 'pageOf'>>();
  conforms<Problems<Host.WebFrameMain, Electron.WebFrameMain>>();
  conforms<Problems<Host.WebRequest, Electron.WebRequest>>();
  conforms<Problems<Host.UtilityProcess, Electron.UtilityProcess>>();
  conforms<Problems<PreloadModule['contextBridge'], Electron.ContextBridge>>();
  conforms<Problems<PreloadModule['ipcRenderer'], Electron.IpcRenderer>>();
  conforms<Problems<PreloadModule['webUtils'], Electron.WebUtils>>();
  conforms<UnknownOptions<Host.BrowserWindowConstructorOptions, Electron.BrowserWindowConstructorOptions>>();
  conforms<UnknownOptions<Host.WebPreferences, Electron.WebPreferences>>();
  conforms<UnknownOptions<Host.MenuItemConstructorOptions, Electron.MenuItemConstructorOptions>>();
  conforms<UnknownOptions<Host.OpenDialogOptions, Electron.OpenDialogOptions>>();
  conforms<UnknownOptions<Host.SaveDialogOptions, Electron.SaveDialogOptions>>();
  conforms<UnknownOptions<Host.MessageBoxOptions, Electron.MessageBoxOptions>>();
}
