/** Prints a page created by Spandeck as PDF, in a hidden window. */
import type { BrowserWindowConstructorOptions, PrintToPDFOptions } from 'electron';
import type { Clock } from '../core/ports.ts';
import { AppError } from '../shared/errors.ts';
import type { PagesToPrint } from './pages-to-print.ts';

/** Returns the bytes of a PDF of a complete HTML page. Throws INTERNAL if the page cannot be printed. */
export type PrintPdf = (html: string) => Promise<Uint8Array>;

/** Maximum duration; a page that takes longer is stuck. */
const PATIENCE_MS = 60_000;

const WINDOW: BrowserWindowConstructorOptions = {
  show: false,
  focusable: false,
  webPreferences: {
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    webSecurity: true,
    webviewTag: false,
    spellcheck: false,
    // Otherwise timers of the hidden page would run only once a second.
    backgroundThrottling: false,
  },
};

/** Script that resolves when the page has drawn its rows, and rejects if it cannot (`data-ready`). */
const READY = `new Promise((resolve, reject) => {
  const root = document.documentElement;
  const look = () => {
    const { ready } = root.dataset;
    if (ready === 'failed') reject(new Error('The rows could not be read.'));
    else if (ready !== undefined) resolve(true);
    return ready !== undefined;
  };
  if (!look()) new MutationObserver(look).observe(root, { attributes: true });
})`;

/** Countries that use the paper size Letter. */
const LETTER = new Set(['US', 'CA', 'MX', 'PH', 'CL', 'CO', 'VE']);

function optionsFor(country: string): PrintToPDFOptions {
  return {
    pageSize: LETTER.has(country) ? 'Letter' : 'A4',
    printBackground: true,
    displayHeaderFooter: true,
    headerTemplate: '<span></span>',
    footerTemplate: `<div style="width: 100%; margin: 0 12mm; display: flex; justify-content: space-between; gap: 8mm; font: 7pt sans-serif; color: #666">
      <span class="title"></span><span><span class="pageNumber"></span> of <span class="totalPages"></span></span></div>`,
    generateTaggedPDF: true,
    generateDocumentOutline: true,
  };
}

/** The members of a window that printing needs. */
interface PrintingWindow {
  loadURL(url: string): Promise<void>;
  destroy(): void;
  isDestroyed(): boolean;
  readonly webContents: {
    executeJavaScript(code: string): Promise<unknown>;
    printToPDF(options: PrintToPDFOptions): Promise<Uint8Array>;
    setWindowOpenHandler(handler: () => { action: 'deny' }): void;
    on(event: 'will-navigate', listener: (event: { preventDefault(): void }) => void): unknown;
  };
}

interface Parts {
  pages: PagesToPrint;
  clock: Clock;
  openWindow: (options: BrowserWindowConstructorOptions) => PrintingWindow;
  /** The country as two letters of ISO 3166. */
  country: () => string;
}

export function createPrintPdf({ pages, clock, openWindow, country }: Parts): PrintPdf {
  return async (html) => {
    const window = openWindow(WINDOW);
    const url = pages.add(html);
    let cancelTimer: () => void = () => undefined;
    try {
      const contents = window.webContents;
      contents.setWindowOpenHandler(() => ({ action: 'deny' }));
      contents.on('will-navigate', (event) => event.preventDefault());
      const printed = window
        .loadURL(url)
        .then(() => contents.executeJavaScript(READY))
        .then(() => contents.printToPDF(optionsFor(country())));
      const late = new Promise<never>((_resolve, reject) => {
        cancelTimer = clock.setTimer(
          () => reject(new Error('The page was not printed in time.')),
          PATIENCE_MS,
        );
      });
      return await Promise.race([printed, late]);
    } catch (thrown) {
      const said = thrown instanceof Error ? thrown.message : String(thrown);
      throw new AppError(
        'INTERNAL',
        `The PDF was not made. Save the report as HTML and print it in a browser. The window said: ${said}`,
        {},
        thrown,
      );
    } finally {
      cancelTimer();
      pages.remove(url);
      // The application may have closed the window together with the main window.
      if (!window.isDestroyed()) window.destroy();
    }
  };
}
