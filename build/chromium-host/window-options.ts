/** Options for creating a window. */

/** The supported settings; `sandbox`, `contextIsolation` and `webSecurity` cannot be disabled here. */
export interface WebPreferences {
  preload?: string;
  sandbox?: boolean;
  contextIsolation?: boolean;
  nodeIntegration?: boolean;
  nodeIntegrationInWorker?: boolean;
  nodeIntegrationInSubFrames?: boolean;
  webSecurity?: boolean;
  webviewTag?: boolean;
  allowRunningInsecureContent?: boolean;
  experimentalFeatures?: boolean;
  navigateOnDragDrop?: boolean;
  spellcheck?: boolean;
  devTools?: boolean;
  backgroundThrottling?: boolean;
  additionalArguments?: string[];
}

/**
 * The supported settings. Chromium cannot keep a window hidden, so `show: false` has an effect only if the window takes
 * no focus either: it is then never shown.
 */
export interface BrowserWindowConstructorOptions {
  width?: number;
  height?: number;
  x?: number;
  y?: number;
  minWidth?: number;
  minHeight?: number;
  center?: boolean;
  show?: boolean;
  focusable?: boolean;
  title?: string;
  icon?: string;
  backgroundColor?: string;
  autoHideMenuBar?: boolean;
  useContentSize?: boolean;
  fullscreen?: boolean;
  webPreferences?: WebPreferences;
}

export type WindowState = 'normal' | 'minimized' | 'maximized' | 'fullscreen';

/** The events for entering and leaving each state. */
export const STATE_EVENTS: Readonly<Record<WindowState, readonly [string, string]>> = {
  normal: ['', ''],
  minimized: ['minimize', 'restore'],
  maximized: ['maximize', 'unmaximize'],
  fullscreen: ['enter-full-screen', 'leave-full-screen'],
};

/** Converts "#rgb", "#rrggbb" or "#aarrggbb" to Chromium's form. */
export function toRgba(color: string): object | undefined {
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(color);
  const long =
    short === null
      ? color
      : `#${short
          .slice(1)
          .map((digit) => digit + digit)
          .join('')}`;
  const match = /^#(?:[0-9a-f]{2})?([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(long);
  if (match === null) return undefined;
  const [r, g, b] = match.slice(1).map((digits) => Number.parseInt(digits, 16));
  return { r, g, b, a: 1 };
}
