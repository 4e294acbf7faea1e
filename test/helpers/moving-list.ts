/** A list at a real server that changes between its pages. The size of pages can be capped. */
import { type Received, ScriptedServer, sendPage } from './scripted-server.ts';

export type Item = Record<string, unknown>;

export class MovingList implements AsyncDisposable {
  readonly server: ScriptedServer;
  items: Item[] = [];
  /** Pages that were answered, with their number of rows. */
  pages: { offset: number; limit: number; rows: number; total: number }[] = [];
  /** Called after each page was sent, with the number of pages so far. */
  onPage: (pages: number) => void = () => undefined;
  /** Maximum number of rows that the service returns in a page. */
  cap: number | undefined;

  private constructor(server: ScriptedServer) {
    this.server = server;
    server.answer((request, response) => {
      // Limits are tested elsewhere.
      response.setHeader('X-RateLimit-Limit', 'unlimited');
      sendPage(response, this.items, request, this.cap === undefined ? {} : { cap: this.cap });
      this.#note(request);
    });
  }

  static async start(): Promise<MovingList> {
    return new MovingList(await ScriptedServer.start(() => undefined));
  }

  /** Starts again with these items. */
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
