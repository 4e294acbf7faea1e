/** `webContents`: one page of one window. */

import type { CdpResult, CdpSession } from './cdp.ts';
import { objectAt, textAt } from './events.ts';
import { getRunning } from './host.ts';
import { NativeImage } from './native-image.ts';
import { type NavigationEvents, wireNavigation } from './navigation.ts';
import { PageLink, type ReceivedMessage } from './page-link.ts';
import { type Session, session } from './session.ts';
import { HostEmitter } from './unsupported.ts';
import { toApp, toChromium } from './urls.ts';
import { WebFrameMain } from './web-frame-main.ts';
import type { WebPreferences } from './window-options.ts';

/** The argument of `setWindowOpenHandler`. */
export interface HandlerDetails {
  readonly url: string;
  readonly frameName: string;
  readonly features: string;
  readonly disposition: 'default' | 'foreground-tab' | 'background-tab' | 'new-window' | 'other';
}

/** Sizes of paper in inches. */
const PAPER_INCHES = { A4: [8.27, 11.69], Letter: [8.5, 11] } as const;

/** The supported settings of `printToPDF`. */
export interface PrintToPDFOptions {
  readonly pageSize?: keyof typeof PAPER_INCHES;
  readonly printBackground?: boolean;
  readonly displayHeaderFooter?: boolean;
  readonly headerTemplate?: string;
  readonly footerTemplate?: string;
  readonly generateTaggedPDF?: boolean;
  readonly generateDocumentOutline?: boolean;
}

type OpenHandler = (details: HandlerDetails) => { action: 'deny' };

/** The state of the page's window, as reported by the page. */
export interface PageState {
  readonly bounds: { x: number; y: number; width: number; height: number };
  readonly area: { width: number; height: number };
  readonly scaleFactor: number;
  readonly isFocused: boolean;
  readonly isDark: boolean;
}

const REQUIRED: Readonly<Record<string, boolean>> = {
  sandbox: true,
  contextIsolation: true,
  webSecurity: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webviewTag: false,
  allowRunningInsecureContent: false,
  navigateOnDragDrop: false,
};

function checkPreferences(preferences: WebPreferences): void {
  for (const [name, value] of Object.entries(preferences)) {
    if (name in REQUIRED && value !== REQUIRED[name]) {
      throw new Error(`The Chromium host knows webPreferences.${name} ${REQUIRED[name]} only, got ${value}.`);
    }
  }
}

/** Called with each state that a page reports. */
export const stateListeners = new Set<(contents: WebContents, state: PageState) => void>();

/** Handles messages of a page. `run.ts` sets it, because it needs windows and menus, which import this file. */
type Dispatch = (
  contents: WebContents,
  link: PageLink,
  message: ReceivedMessage,
  openHandler: OpenHandler,
) => void;
let dispatch: Dispatch | undefined;

export function setDispatch(chosen: Dispatch): void {
  dispatch = chosen;
}

const all = new Map<number, WebContents>();
let lastId = 0;

export class WebContents extends HostEmitter {
  readonly id: number;
  readonly session: Session = session.defaultSession;
  readonly mainFrame: WebFrameMain;
  readonly #preferences: WebPreferences;
  readonly #beforeFirstLoad: (session: CdpSession, targetId: string) => Promise<void>;
  readonly #mayGo: () => boolean;
  readonly #isNeverShown: boolean;
  readonly #navigation: NavigationEvents;
  #targetId: string | undefined;
  #page: CdpSession | undefined;
  #link: PageLink | undefined;
  #opening: Promise<string> | undefined;
  #openHandler: OpenHandler = () => ({ action: 'deny' });
  #isDestroyed = false;
  #isLeaving = false;
  #isCrashed = false;
  #url = '';

  constructor(
    preferences: WebPreferences,
    beforeFirstLoad: (page: CdpSession, targetId: string) => Promise<void>,
    /** Called when a person has closed Chromium's window; if it returns false, the window is opened again. */
    mayGo: () => boolean,
    isNeverShown: boolean,
  ) {
    super();
    checkPreferences(preferences);
    lastId += 1;
    this.id = lastId;
    this.#preferences = preferences;
    this.#beforeFirstLoad = beforeFirstLoad;
    this.#mayGo = mayGo;
    this.#isNeverShown = isNeverShown;
    this.mainFrame = new WebFrameMain(
      () => this.#url,
      (code, hasGesture) => this.executeJavaScript(code, hasGesture),
    );
    this.#navigation = wireNavigation(this, (url) => {
      this.#url = toApp(url);
    });
    all.set(this.id, this);
  }

  static getAllWebContents(): WebContents[] {
    return [...all.values()];
  }

  static fromId(id: number): WebContents | undefined {
    return all.get(id);
  }

  static fromDevToolsTargetId(targetId: string): WebContents | undefined {
    return [...all.values()].find((contents) => contents.#targetId === targetId);
  }

  /** The target of the page's window, once the window was opened. */
  static targetOf(contents: WebContents): string | undefined {
    return contents.#targetId;
  }

  /** For modules of the stand-in that access the page directly. */
  static pageOf(contents: WebContents): CdpSession | undefined {
    return contents.#page;
  }

  /** Loads a page; the first call opens Chromium's window. Rejects as Electron does: "ERR_… loading 'url'". */
  loadURL(url: string): Promise<void> {
    const loaded = this.#navigation.expect(url);
    const target = toChromium(url);
    if (this.#opening === undefined) {
      const { targets } = getRunning();
      const prepare = (targetId: string) => this.#prepare(targetId);
      const onGone = () => this.#onGone();
      this.#opening = targets.open(target, { isNeverShown: this.#isNeverShown, prepare, onGone });
      this.#opening.catch((error: unknown) => this.#navigation.fail(String(error)));
      return loaded;
    }
    this.#opening
      .then(() => this.#page?.send('Page.navigate', { url: target }))
      .then((result) => {
        const reason = textAt(result ?? {}, 'errorText');
        if (reason === 'net::ERR_ABORTED') this.#navigation.fail(reason);
      })
      .catch((error: unknown) => this.#navigation.fail(String(error)));
    return loaded;
  }

  async #prepare(targetId: string): Promise<void> {
    const page = await getRunning().chromium.connection.attach(targetId);
    this.#targetId = targetId;
    this.#page = page;
    this.#navigation.listen(page, targetId);
    const link = new PageLink(page, targetId, (message) => {
      this.#url = toApp(message.href);
      dispatch?.(this, link, message, (details) => this.#openHandler(details));
    });
    this.#link = link;
    page.on('Page.javascriptDialogOpening', (params: CdpResult) => {
      page.notify('Page.handleJavaScriptDialog', {
        accept: params['type'] !== 'confirm' && params['type'] !== 'prompt',
      });
    });
    // Only the browser reports how a page ended, e.g. `killed` for a signal from outside.
    getRunning().chromium.connection.on('Target.targetCrashed', (params: CdpResult) => {
      if (params['targetId'] !== targetId) return;
      this.#isCrashed = true;
      const reason =
        params['status'] === 'killed' || params['status'] === 'oom' ? params['status'] : 'crashed';
      this.emit('render-process-gone', {}, { reason, exitCode: Number(params['errorCode'] ?? 1) });
    });
    page.on('Inspector.targetReloadedAfterCrash', () => {
      this.#isCrashed = false;
    });
    const { preload, additionalArguments = [] } = this.#preferences;
    await Promise.all([
      page.send('Page.enable'),
      page.send('DOM.enable'),
      page.send('Log.enable'),
      link.install({ preload, argv: additionalArguments }),
      this.#beforeFirstLoad(page, targetId),
    ]);
  }

  /**
   * Handles the closing of Chromium's window, which does not ask main: if main prevents it, the page is loaded in a new
   * window.
   */
  #onGone(): void {
    if (!this.#isLeaving && !this.#mayGo()) {
      this.#opening = undefined;
      this.#page = undefined;
      this.#link = undefined;
      this.loadURL(this.#url).catch((error: unknown) =>
        process.stderr.write(`window not opened again: ${String(error)}\n`),
      );
      return;
    }
    this.#isDestroyed = true;
    all.delete(this.id);
    this.#navigation.fail('net::ERR_ABORTED');
    this.emit('destroyed');
  }

  getURL(): string {
    return this.#url;
  }

  getTitle(): string {
    return this.#navigation.title;
  }

  isLoading(): boolean {
    return this.#navigation.isLoading;
  }

  isDestroyed(): boolean {
    return this.#isDestroyed;
  }

  isCrashed(): boolean {
    return this.#isCrashed;
  }

  send(channel: string, ...args: unknown[]): void {
    this.#link?.send(channel, args);
  }

  setWindowOpenHandler(handler: OpenHandler): void {
    this.#openHandler = handler;
  }

  async executeJavaScript(code: string, userGesture = false): Promise<unknown> {
    const options = { expression: code, userGesture, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = (await this.#page?.send('Runtime.evaluate', options)) ?? {};
    if (exceptionDetails !== undefined) {
      const exception = objectAt(exceptionDetails as CdpResult, 'exception');
      throw new Error(textAt(exception, 'description') || 'Script failed to execute');
    }
    return objectAt({ result }, 'result')['value'];
  }

  /** The page as a PNG. */
  async capturePage(): Promise<NativeImage> {
    const shot = await this.#page?.send('Page.captureScreenshot', { format: 'png' });
    return new NativeImage(Buffer.from(textAt(shot ?? {}, 'data'), 'base64'));
  }

  /** The page as a PDF. Rejects, as in Electron, if the page is closed meanwhile. */
  async printToPDF(options: PrintToPDFOptions): Promise<Buffer> {
    const { pageSize = 'Letter', ...known } = options;
    const [paperWidth, paperHeight] = PAPER_INCHES[pageSize];
    const printed = await this.#page?.send('Page.printToPDF', { ...known, paperWidth, paperHeight });
    if (printed === undefined) throw new Error('Failed to generate PDF: the page is not loaded');
    return Buffer.from(textAt(printed, 'data'), 'base64');
  }

  reload(): void {
    this.#page?.notify('Page.reload');
  }

  reloadIgnoringCache(): void {
    this.#page?.notify('Page.reload', { ignoreCache: true });
  }

  focus(): void {
    this.#page?.notify('Page.bringToFront');
  }

  isFocused(): boolean {
    return this.#navigation.isFocused;
  }

  /** Closes the page and its window without emitting the window's 'close', as in Electron. */
  close(_options?: { waitForBeforeUnload: boolean }): void {
    if (this.#isDestroyed) return;
    this.#isLeaving = true;
    if (this.#opening === undefined) {
      this.#onGone();
      return;
    }
    const { connection } = getRunning().chromium;
    this.#opening
      .then((targetId) => connection.notify('Target.closeTarget', { targetId }))
      .catch(() => this.#onGone());
  }
}
