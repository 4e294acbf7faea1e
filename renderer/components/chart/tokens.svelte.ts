/**
 * CSS tokens of styles/tokens.css for a canvas: resolved for the current theme, and read again when the theme changes.
 */
import { createSubscriber } from 'svelte/reactivity';

const FONT = /^font-/;

class ThemeTokens {
  #values = new Map<string, string>();
  #probe: HTMLElement | null = null;

  readonly #subscribe = createSubscriber((update) => {
    const changed = () => {
      this.#values.clear();
      update();
    };
    const systems = ['(prefers-color-scheme: dark)', '(forced-colors: active)'].map((query) =>
      window.matchMedia(query),
    );
    for (const system of systems) system.addEventListener('change', changed);
    const observer = new MutationObserver(changed);
    observer.observe(document.documentElement, {
      attributeFilter: ['data-theme', 'data-contrast', 'style', 'class'],
    });
    return () => {
      for (const system of systems) system.removeEventListener('change', changed);
      observer.disconnect();
      this.#values.clear();
    };
  });

  /** To be called in an effect that draws, so that it runs again when the theme changes. */
  watch(): void {
    this.#subscribe();
  }

  /** A colour as `rgb(…)`, or the value of a font token. `name`: without the leading dashes. */
  readonly get = (name: string): string => {
    let value = this.#values.get(name);
    if (value === undefined) {
      value = FONT.test(name) ? textOf(name) : this.#colour(name);
      this.#values.set(name, value);
    }
    return value;
  };

  /**
   * Browsers resolve `light-dark()` only where a custom property is used, so it is read from a property that uses it.
   */
  #colour(name: string): string {
    if (this.#probe === null) {
      this.#probe = document.createElement('span');
      this.#probe.hidden = true;
      document.body.append(this.#probe);
    }
    this.#probe.style.color = `var(--${name})`;
    return getComputedStyle(this.#probe).color;
  }
}

function textOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

export const tokens = new ThemeTokens();
