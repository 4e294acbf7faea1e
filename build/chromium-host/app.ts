/** `app`: name, paths, command line, and the order of starting and quitting. */
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { BrowserWindow, windowHooks } from './browser-window.ts';
import { CommandLine } from './command-line.ts';
import { getRunning } from './host.ts';
import { type SecondInstance, SingleInstance } from './single-instance.ts';
import { emitPreventable, HostEmitter } from './unsupported.ts';

type PathName =
  | 'home'
  | 'appData'
  | 'userData'
  | 'sessionData'
  | 'temp'
  | 'exe'
  | 'module'
  | 'desktop'
  | 'documents'
  | 'downloads'
  | 'logs'
  | 'crashDumps';

/** Path of a folder in ~/.config/user-dirs.dirs, otherwise its usual path. */
function userFolder(key: string, usual: string): string {
  const file = path.join(configHome(), 'user-dirs.dirs');
  const text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  const named = new RegExp(`^XDG_${key}_DIR="(.*)"$`, 'm').exec(text)?.[1];
  return named?.replace('$HOME', os.homedir()) ?? path.join(os.homedir(), usual);
}

const configHome = (): string => process.env['XDG_CONFIG_HOME'] ?? path.join(os.homedir(), '.config');

export class App extends HostEmitter {
  readonly commandLine = new CommandLine();
  isPackaged = false;
  #name = 'electron';
  #version = '0.0.0';
  #appPath = process.cwd();
  readonly #paths = new Map<PathName, string>();
  readonly #whenReady = Promise.withResolvers<void>();
  #isReady = false;
  #isQuitting = false;
  #hasExited = false;
  #instance: SingleInstance | undefined;

  constructor() {
    super();
    windowHooks.onCreated = (window) => {
      this.emit('browser-window-created', {}, window);
      this.emit('web-contents-created', {}, window.webContents);
    };
    windowHooks.onAllClosed = () => {
      if (this.#isQuitting) this.#finishQuitting();
      else if (this.listenerCount('window-all-closed') === 0) this.quit();
      else this.emit('window-all-closed');
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => this.quit());
  }

  /** For startup: applies the app's package.json. */
  static describe(
    target: App,
    about: { name: string; version: string; appPath: string; isPackaged: boolean },
  ): void {
    target.#name = about.name;
    target.#version = about.version;
    target.#appPath = about.appPath;
    target.isPackaged = about.isPackaged;
  }

  /** For startup: Chromium is running, so windows may be created. */
  static makeReady(target: App): void {
    target.#isReady = true;
    target.emit('ready', {}, {});
    target.#whenReady.resolve();
  }

  /** For startup: whether the app has quit while its script was being loaded. */
  static isOver(target: App): boolean {
    return target.#hasExited || target.#isQuitting;
  }

  isReady(): boolean {
    return this.#isReady;
  }

  whenReady(): Promise<void> {
    return this.#whenReady.promise;
  }

  getName(): string {
    return this.#name;
  }

  setName(name: string): void {
    this.#name = name;
  }

  get name(): string {
    return this.#name;
  }

  getVersion(): string {
    return this.#version;
  }

  getAppPath(): string {
    return this.#appPath;
  }

  getLocale(): string {
    return new Intl.DateTimeFormat().resolvedOptions().locale;
  }

  getPath(name: PathName): string {
    const chosen = this.#paths.get(name);
    if (chosen !== undefined) return chosen;
    switch (name) {
      case 'home':
        return os.homedir();
      case 'appData':
        return configHome();
      case 'userData':
        return this.commandLine.getSwitchValue('user-data-dir') || path.join(configHome(), this.#name);
      case 'sessionData':
        return path.join(this.getPath('userData'), 'chromium');
      case 'temp':
        return os.tmpdir();
      case 'logs':
        return path.join(this.getPath('userData'), 'logs');
      case 'crashDumps':
        return path.join(this.getPath('userData'), 'Crashpad');
      case 'exe':
      case 'module':
        return process.argv[0] ?? process.execPath;
      default:
        return userFolder(
          name === 'downloads' ? 'DOWNLOAD' : name.toUpperCase(),
          name[0]?.toUpperCase() + name.slice(1),
        );
    }
  }

  setPath(name: PathName, folder: string): void {
    if (!path.isAbsolute(folder)) throw new Error('Path must be absolute');
    this.#paths.set(name, folder);
  }

  requestSingleInstanceLock(additionalData?: Record<string, unknown>): boolean {
    this.#instance ??= new SingleInstance(this.getPath('userData'));
    return this.#instance.acquire(
      additionalData,
      ({ argv, workingDirectory, additionalData: data }: SecondInstance) => {
        this.emit('second-instance', {}, argv, workingDirectory, data);
      },
    );
  }

  hasSingleInstanceLock(): boolean {
    return this.#instance?.isHeld === true;
  }

  releaseSingleInstanceLock(): void {
    this.#instance?.release();
    this.#instance = undefined;
  }

  focus(): void {
    BrowserWindow.getAllWindows()[0]?.focus();
  }

  /** Emits 'before-quit', then every window's 'close', then 'will-quit'; each can prevent quitting. */
  quit(): void {
    if (this.#isQuitting || this.#hasExited) return;
    if (emitPreventable(this, 'before-quit')) return;
    this.#isQuitting = true;
    const windows = BrowserWindow.getAllWindows();
    if (windows.length === 0) this.#finishQuitting();
    for (const window of windows) {
      window.close();
      if (!BrowserWindow.isClosing(window)) this.#isQuitting = false;
    }
  }

  #finishQuitting(): void {
    if (emitPreventable(this, 'will-quit')) {
      this.#isQuitting = false;
      return;
    }
    this.emit('quit', {}, 0);
    this.exit(0);
  }

  /** Ends the app without the events that could prevent it. */
  exit(exitCode = 0): void {
    if (this.#hasExited) return;
    this.#hasExited = true;
    this.releaseSingleInstanceLock();
    if (!this.#isReady) process.exit(exitCode);
    void getRunning()
      .chromium.close()
      .then(() => process.exit(exitCode));
  }
}

export const app: App = new App();
