/** A list at a real server that changes between its pages, and caps its pages as it likes. */
import { type Received, ScriptedServer, sendPage } from './scripted-server.ts';

export type Item = Record<string, unknown>;

export class MovingList implements AsyncDisposable {
  readonly server: ScriptedServer;
  items: Item[] = [];
  /** Pages that were answered. */
  pages: { offset: number; limit: number; rows: number; total: number }[] = [];
  /** Called after each page was sent, with the number of pages so far. */
  onPage: (pages: number) => void = () => undefined;
  /** Most rows the service gives in one page. */
  cap: number | undefined;

  private constructor(server: ScriptedServer) {
    this.server = server;
    server.answer((request, response) => {
      // Limits are another test's business.
      response.setHeader('X-RateLimit-Limit', 'unlimited');
      sendPage(response, this.items, request, this.cap === undefined ? {} : { cap: this.cap });
      this.#note(request);
    });
  }

  static async start(): Promise<MovingList> {
    return new MovingList(await ScriptedServer.start(() => undefined));
  }

  /** Begins anew with these items. */
  reset(items: readonly Item[]): void {
    this.items = [...items];
    this.pages = [];
    this.onPage = () => undefined;
    this.cap = undefined;
  }

  #note(request: Received): void {
    const query = new URL(request.url, this.server.baseUrl).searchParams;
    const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))];
    const rows = this.items.slice(offset, offset + Math.min(limit, this.cap ?? limit)).length;
    this.pages.push({ offset, limit, rows, total: this.items.length });
    this.onPage(this.pages.length);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.server[Symbol.asyncDispose]();
  }
}
