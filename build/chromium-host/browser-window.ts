/** `BrowserWindow`: a Chromium window without tabs or address bar, opened by the first load. */
import type { CdpResult, CdpSession } from './cdp.ts';
import type { Rectangle } from './chromium.ts';
import { objectAt, textAt } from './events.ts';
import { getRunning } from './host.ts';
import type { NativeImage } from './native-image.ts';
import { NativeTheme, nativeTheme } from './native-theme.ts';
import { emitPreventable, HostEmitter } from './unsupported.ts';
import { stateListeners, WebContents } from './web-contents.ts';
import {
  type BrowserWindowConstructorOptions,
  STATE_EVENTS,
  toRgba,
  type WindowState,
} from './window-options.ts';

const windows = new Map<number, BrowserWindow>();
let lastId = 0;
/** Called for every new window and when the last one has closed; set by the app. */
export const windowHooks: { onCreated?: (window: BrowserWindow) => void; onAllClosed?: () => void } = {};

export class BrowserWindow extends HostEmitter {
  readonly id: number;
  readonly webContents: WebContents;
  readonly #options: BrowserWindowConstructorOptions;
  /** Whether the window takes no focus, so that it stays minimized. */
  readonly #isNeverShown: boolean;
  #windowId: number | undefined;
  #bounds: Rectangle;
  #normalBounds: Rectangle;
  #state: WindowState = 'normal';
  #isFocused = false;
  #isClosing = false;
  /** The state to restore. Chromium cannot hide a window, so a hidden one is minimized. */
  #hiddenFrom: WindowState | undefined;

  constructor(options: BrowserWindowConstructorOptions = {}) {
    super();
    getRunning();
    lastId += 1;
    this.id = lastId;
    this.#options = options;
    const { x = 0, y = 0, width = 800, height = 600 } = options;
    this.#bounds = { x, y, width, height };
    this.#normalBounds = this.#bounds;
    this.#isNeverShown = options.show === false && options.focusable === false;
    if (this.#isNeverShown) this.#hiddenFrom = 'normal';
    this.webContents = new WebContents(
      options.webPreferences ?? {},
      (page, targetId) => this.#prepare(page, targetId),
      () => this.#mayGo(),
      this.#isNeverShown,
    );
    this.webContents.once('dom-ready', () => this.emit('ready-to-show'));
    this.webContents.once('destroyed', () => this.#onClosed());
    this.webContents.on('did-navigate', () => NativeTheme.applyTo(nativeTheme, this.webContents));
    stateListeners.add((contents, state) => {
      if (contents === this.webContents) this.#onState(state.isFocused);
    });
    windows.set(this.id, this);
    windowHooks.onCreated?.(this);
  }

  static getAllWindows(): BrowserWindow[] {
    return [...windows.values()];
  }

  static getFocusedWindow(): BrowserWindow | null {
    return BrowserWindow.getAllWindows().find((window) => window.#isFocused) ?? null;
  }

  static fromId(id: number): BrowserWindow | null {
    return windows.get(id) ?? null;
  }

  static fromWebContents(contents: WebContents): BrowserWindow | null {
    return BrowserWindow.getAllWindows().find((window) => window.webContents === contents) ?? null;
  }

  /** For quitting: whether 'close' was emitted and not prevented. */
  static isClosing(window: BrowserWindow): boolean {
    return window.#isClosing;
  }

  async #prepare(page: CdpSession, targetId: string): Promise<void> {
    if (this.#isNeverShown) return;
    const { connection } = getRunning().chromium;
    const found = await connection.send('Browser.getWindowForTarget', { targetId });
    this.#windowId = Number(found['windowId']);
    const { x, y, backgroundColor, fullscreen } = this.#options;
    const { width, height } = this.#bounds;
    const place = x === undefined || y === undefined ? {} : { left: x, top: y };
    await connection.send('Browser.setWindowBounds', {
      windowId: this.#windowId,
      bounds: { ...place, width, height },
    });
    if (fullscreen === true) this.#state = 'fullscreen';
    // Applies settings that were made before the window existed.
    if (this.#state !== 'normal') this.#set({ windowState: this.#state });
    const color = backgroundColor === undefined ? undefined : toRgba(backgroundColor);
    if (color !== undefined) page.notify('Emulation.setDefaultBackgroundColorOverride', { color });
    NativeTheme.applyTo(nativeTheme, this.webContents);
    connection.on('Target.targetInfoChanged', (params: CdpResult) => {
      const info = objectAt(params, 'targetInfo');
      if (info['targetId'] === targetId) this.#onTitle(textAt(info, 'title'));
    });
  }

  #title = '';
  #onTitle(title: string): void {
    if (title === this.#title || title === '') return;
    this.#title = title;
    emitPreventable(this, 'page-title-updated', {}, title, true);
  }

  #onState(isFocused: boolean): void {
    if (isFocused !== this.#isFocused) {
      this.#isFocused = isFocused;
      this.emit(isFocused ? 'focus' : 'blur');
    }
    void this.#refreshBounds();
  }

  /** Asks Chromium for the window's bounds, because the page's own values do not show whether it is maximized. */
  async #refreshBounds(): Promise<void> {
    if (this.#windowId === undefined) return;
    const { connection } = getRunning().chromium;
    const answer = await connection
      .send('Browser.getWindowBounds', { windowId: this.#windowId })
      .catch(() => undefined);
    if (answer === undefined || this.isDestroyed()) return;
    const bounds = objectAt(answer, 'bounds');
    const number = (key: string): number => Number(bounds[key] ?? 0);
    const next = { x: number('left'), y: number('top'), width: number('width'), height: number('height') };
    const old = this.#bounds;
    const oldState = this.#state;
    this.#bounds = next;
    this.#state = textAt(bounds, 'windowState') as WindowState;
    if (this.#state === 'normal') this.#normalBounds = next;
    // A hidden window emits no event when it is minimized.
    if (oldState !== this.#state && this.#hiddenFrom === undefined) {
      for (const name of [STATE_EVENTS[oldState][1], STATE_EVENTS[this.#state][0]])
        if (name !== '') this.emit(name);
    }
    if (old.width !== next.width || old.height !== next.height) this.emit('resize');
    if (old.x !== next.x || old.y !== next.y) this.emit('move');
  }

  /** Asks the app whether a window that a person closed may close; later calls apply to the next window. */
  #mayGo(): boolean {
    this.#windowId = undefined;
    return !emitPreventable(this, 'close');
  }

  #onClosed(): void {
    windows.delete(this.id);
    this.emit('closed');
    if (windows.size === 0) windowHooks.onAllClosed?.();
  }

  loadURL(url: string): Promise<void> {
    return this.webContents.loadURL(url);
  }

  /** Emits 'close', which can be prevented, then closes. */
  close(): void {
    if (this.isDestroyed() || this.#isClosing) return;
    if (emitPreventable(this, 'close')) return;
    this.destroy();
  }

  destroy(): void {
    this.#isClosing = true;
    this.webContents.close();
  }

  isDestroyed(): boolean {
    return this.webContents.isDestroyed();
  }

  #set(bounds: object): void {
    if (this.#windowId === undefined) return;
    const { connection } = getRunning().chromium;
    connection.send('Browser.setWindowBounds', { windowId: this.#windowId, bounds }).then(
      () => this.#refreshBounds(),
      (error: unknown) => process.stderr.write(`window ${this.id}: ${String(error)}\n`),
    );
  }

  #setState(state: WindowState): void {
    if (this.#windowId === undefined) {
      this.#state = state;
      return;
    }
    // Chromium changes from one special state to another only through the normal state.
    if (state !== 'normal' && this.#state !== 'normal') this.#set({ windowState: 'normal' });
    this.#set({ windowState: state });
  }

  show(): void {
    if (this.#isNeverShown) throw new Error('The Chromium host cannot show a window that takes no focus.');
    this.showInactive();
    this.focus();
  }

  showInactive(): void {
    if (this.#hiddenFrom !== undefined) this.#setState(this.#hiddenFrom);
    this.#hiddenFrom = undefined;
    this.emit('show');
  }

  hide(): void {
    if (this.#hiddenFrom !== undefined || this.isDestroyed()) return;
    this.#hiddenFrom = this.#state;
    this.#setState('minimized');
    this.emit('hide');
  }

  focus(): void {
    this.webContents.focus();
  }

  isFocused(): boolean {
    return this.#isFocused;
  }

  isVisible(): boolean {
    return !this.isDestroyed() && this.#hiddenFrom === undefined && this.#state !== 'minimized';
  }

  minimize(): void {
    this.#setState('minimized');
  }

  maximize(): void {
    this.#setState('maximized');
  }

  unmaximize(): void {
    this.#setState('normal');
  }

  restore(): void {
    this.#setState('normal');
  }

  setFullScreen(isFullScreen: boolean): void {
    this.#setState(isFullScreen ? 'fullscreen' : 'normal');
  }

  isMinimized(): boolean {
    return this.#hiddenFrom === undefined && this.#state === 'minimized';
  }

  isMaximized(): boolean {
    return (this.#hiddenFrom ?? this.#state) === 'maximized';
  }

  isFullScreen(): boolean {
    return this.#state === 'fullscreen';
  }

  getBounds(): Rectangle {
    return this.#bounds;
  }

  getNormalBounds(): Rectangle {
    return this.#normalBounds;
  }

  setBounds(bounds: Partial<Rectangle>): void {
    this.#bounds = { ...this.#bounds, ...bounds };
    const { x, y, width, height } = this.#bounds;
    this.#set({ left: x, top: y, width, height });
  }

  getSize(): number[] {
    return [this.#bounds.width, this.#bounds.height];
  }

  setSize(width: number, height: number): void {
    this.setBounds({ width, height });
  }

  getTitle(): string {
    return this.#title;
  }

  capturePage(): Promise<NativeImage> {
    return this.webContents.capturePage();
  }

  setMenuBarVisibility(_isVisible: boolean): void {
    // Does nothing, because there is no visible menu bar.
  }

  setAutoHideMenuBar(_isHidden: boolean): void {
    // Does nothing, because there is no visible menu bar.
  }

  setProgressBar(_progress: number): void {
    // Does nothing, because the desktop shows no progress for windows of the stand-in.
  }

  flashFrame(_isOn: boolean): void {
    // Does nothing, because the desktop shows no progress for windows of the stand-in.
  }
}
