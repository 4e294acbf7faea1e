/** Pages made here that are served to a hidden window while they are printed. */
import { APP_SCHEME } from './renderer-files.ts';

/** An origin of its own: a printed page shares nothing with the window. */
const ORIGIN = `${APP_SCHEME}://print`;

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  // A page has its own policy for scripts and styles; it may not open, send or embed anything.
  'Content-Security-Policy':
    "sandbox allow-scripts; connect-src 'none'; frame-src 'none'; form-action 'none'",
};

export class PagesToPrint {
  readonly #pages = new Map<string, string>();
  readonly #newId: () => string;

  constructor(newId: () => string) {
    this.#newId = newId;
  }

  /** Address of a page until `remove`. */
  add(html: string): string {
    const url = `${ORIGIN}/${this.#newId()}`;
    this.#pages.set(url, html);
    return url;
  }

  remove(url: string): void {
    this.#pages.delete(url);
  }

  /** Null for an address of no page. */
  answer(url: string): Response | null {
    const html = this.#pages.get(url);
    return html === undefined ? null : new Response(html, { headers: HEADERS });
  }
}
