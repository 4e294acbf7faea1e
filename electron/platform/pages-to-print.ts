/** Pages created by Spandeck that are served to a hidden window while they are printed. */
import { APP_SCHEME } from './renderer-files.ts';

/** A separate origin, so that a printed page shares nothing with the window. */
const ORIGIN = `${APP_SCHEME}://print`;

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  // A page states its own policy for scripts and styles; this one forbids opening, sending and embedding anything.
  'Content-Security-Policy':
    "sandbox allow-scripts; connect-src 'none'; frame-src 'none'; form-action 'none'",
};

export class PagesToPrint {
  readonly #pages = new Map<string, string>();
  readonly #newId: () => string;

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  /** Adds a page and returns its address, which is valid until `remove`. */
  add(html: string): string {
    const url = `${ORIGIN}/${this.#newId()}`;
    this.#pages.set(url, html);
    return url;
  }

  remove(url: string): void {
    this.#pages.delete(url);
  }

  /** The answer to a request; null if no page has the address. */
  answer(url: string): Response | null {
    const html = this.#pages.get(url);
    return html === undefined ? null : new Response(html, { headers: HEADERS });
  }
}
