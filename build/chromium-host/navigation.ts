/** Maps Chromium's page events to Electron's: loading, navigation, titles, console, the window's focus. */
import type { EventEmitter } from 'node:events';
import type { CdpResult, CdpSession } from './cdp.ts';
import { objectAt, textAt } from './events.ts';
import { toApp } from './urls.ts';

/** A page's loading state, and promises to wait for it. */
export interface NavigationEvents {
  title: string;
  isLoading: boolean;
  isFocused: boolean;
  /** A promise for the load of `url`, which is about to start. */
  expect(url: string): Promise<void>;
  /** Fails the current load with a reason. */
  fail(reason: string): void;
  listen(page: CdpSession, frameId: string): void;
}

const LEVELS: Readonly<Record<string, 'info' | 'warning' | 'error' | 'debug'>> = {
  error: 'error',
  assert: 'error',
  warning: 'warning',
  debug: 'debug',
  verbose: 'debug',
};

/** Emits Electron's events on `target`, and reports each new URL. */
export function wireNavigation(target: EventEmitter, onUrl: (url: string) => void): NavigationEvents {
  let waiting: { url: string; resolve(): void; reject(error: Error): void } | undefined;
  let hasFailed = false;
  const state: NavigationEvents = {
    title: '',
    isLoading: false,
    isFocused: false,
    expect: (url) => {
      state.fail('net::ERR_ABORTED');
      state.isLoading = true;
      const promise = new Promise<void>((resolve, reject) => {
        waiting = { url, resolve, reject };
      });
      // Electron's documentation advises to ignore the promise, so the failure of a load that nobody awaits must not
      // end the process.
      promise.catch(() => undefined);
      return promise;
    },
    fail: (reason) => {
      const { url, reject } = waiting ?? {};
      waiting = undefined;
      reject?.(new Error(`${reason.replace(/^net::/, '')} loading '${url}'`));
    },
    listen: (page, frameId) => listen(page, frameId),
  };

  function onNavigated(frame: CdpResult): void {
    const unreachable = textAt(frame, 'unreachableUrl');
    hasFailed = unreachable !== '';
    if (!hasFailed) {
      onUrl(textAt(frame, 'url') + textAt(frame, 'urlFragment'));
      target.emit('did-navigate', {}, toApp(textAt(frame, 'url')), 200, '');
      return;
    }
    target.emit('did-fail-load', {}, -2, 'ERR_FAILED', toApp(unreachable), true);
    state.fail('ERR_FAILED (-2)');
  }

  function onConsole(level: string, message: string, lineNumber: number, sourceId: string): void {
    target.emit('console-message', {
      level: LEVELS[level] ?? 'info',
      message,
      lineNumber,
      sourceId: toApp(sourceId),
    });
  }

  function listen(page: CdpSession, frameId: string): void {
    const ofMainFrame = (handler: (params: CdpResult) => void) => (params: CdpResult) => {
      if (textAt(params, 'frameId') === frameId) handler(params);
    };
    page.on('Page.frameNavigated', (params: CdpResult) => {
      const frame = objectAt(params, 'frame');
      if (frame['id'] === frameId) onNavigated(frame);
    });
    page.on(
      'Page.navigatedWithinDocument',
      ofMainFrame((params) => {
        onUrl(textAt(params, 'url'));
        target.emit('did-navigate-in-page', {}, toApp(textAt(params, 'url')), true);
      }),
    );
    page.on(
      'Page.frameStartedLoading',
      ofMainFrame(() => {
        state.isLoading = true;
        target.emit('did-start-loading');
      }),
    );
    page.on(
      'Page.frameStoppedLoading',
      ofMainFrame(() => {
        state.isLoading = false;
        target.emit('did-stop-loading');
      }),
    );
    page.on('Page.domContentEventFired', () => {
      if (!hasFailed) target.emit('dom-ready', {});
    });
    page.on('Page.loadEventFired', () => {
      if (hasFailed) return;
      const { resolve } = waiting ?? {};
      waiting = undefined;
      state.isLoading = false;
      target.emit('did-finish-load');
      resolve?.();
    });
    page.on('Runtime.consoleAPICalled', (params: CdpResult) => {
      const args = params['args'] as readonly { value?: unknown; description?: string }[];
      const text = args.map(({ value, description }) => String(value ?? description ?? '')).join(' ');
      onConsole(textAt(params, 'type'), text, 0, '');
    });
    page.on('Log.entryAdded', (params: CdpResult) => {
      const entry = objectAt(params, 'entry');
      onConsole(
        textAt(entry, 'level'),
        textAt(entry, 'text'),
        Number(entry['lineNumber'] ?? 0),
        textAt(entry, 'url'),
      );
    });
  }
  return state;
}
