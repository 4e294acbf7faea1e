/** `nativeTheme`: light or dark, chosen by the app or the desktop. */

import { HostEmitter } from './unsupported.ts';
import { stateListeners, WebContents } from './web-contents.ts';

type ThemeSource = 'system' | 'light' | 'dark';

export class NativeTheme extends HostEmitter {
  #source: ThemeSource = 'system';
  /** The desktop's setting as pages see it; light until the first report. */
  #isSystemDark = false;

  get themeSource(): ThemeSource {
    return this.#source;
  }

  set themeSource(source: ThemeSource) {
    const before = this.shouldUseDarkColors;
    this.#source = source;
    for (const contents of WebContents.getAllWebContents()) NativeTheme.applyTo(this, contents);
    if (before !== this.shouldUseDarkColors) this.emit('updated');
  }

  get shouldUseDarkColors(): boolean {
    return this.#source === 'system' ? this.#isSystemDark : this.#source === 'dark';
  }

  get shouldUseHighContrastColors(): boolean {
    return false;
  }

  /** For windows: makes `prefers-color-scheme` in a page follow the source. */
  static applyTo(theme: NativeTheme, contents: WebContents): void {
    const value = theme.#source === 'system' ? '' : theme.#source;
    const features = [{ name: 'prefers-color-scheme', value }];
    WebContents.pageOf(contents)?.notify('Emulation.setEmulatedMedia', { features });
  }

  /** Notes the setting that a page sees while the app has chosen none. */
  static learn(theme: NativeTheme, isDark: boolean): void {
    if (theme.#source !== 'system' || isDark === theme.#isSystemDark) return;
    theme.#isSystemDark = isDark;
    theme.emit('updated');
  }
}

export const nativeTheme: NativeTheme = new NativeTheme();

/** Starts listening to the states that pages report. */
export function startNativeTheme(): void {
  stateListeners.add((_contents, state) => NativeTheme.learn(nativeTheme, state.isDark));
}
