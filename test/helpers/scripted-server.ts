/** A real HTTP server on loopback. It answers as the test defines, and records its requests. */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  method: string;
  /** Path with query. */
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The body as received. */
  bytes: Buffer<ArrayBuffer>;
}

export type Script = (request: Received, response: ServerResponse) => void;

export class ScriptedServer implements AsyncDisposable {
  readonly received: Received[] = [];
  readonly #server: Server;
  #script: Script;
  #port = 0;

  private constructor(script: Script) {
    this.#script = script;
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => {
        parts.push(part);
      });
      // A connection that breaks in the middle of a request cannot be answered.
      request.on('error', () => undefined);
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        const bytes = Buffer.concat(parts);
        const received = { method, url, headers, body: bytes.toString(), bytes };
        this.received.push(received);
        this.#script(received, response);
      });
    });
  }

  static async start(script: Script): Promise<ScriptedServer> {
    const server = new ScriptedServer(script);
    await server.listen();
    return server;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  answer(script: Script): void {
    this.#script = script;
  }

  /** Listens on its previous port, if it had one. */
  listen(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.listen(this.#port, '127.0.0.1', () => {
        this.#port = (this.#server.address() as AddressInfo).port;
        resolve();
      });
    });
  }

  /** Ends all connections at once, and stops listening on the port. */
  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#server.listening ? this.stop() : Promise.resolve();
  }
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** One page of `items` in the envelope of SERVICE.md S2.2, with at most `cap` of them. */
export function sendPage(
  response: ServerResponse,
  items: readonly unknown[],
  request: Received,
  options: { cap?: number; total?: number } = {},
): void {
  const query = new URL(request.url, 'http://loopback').searchParams;
  const offset = Number(query.get('offset') ?? 0);
  const limit = Math.min(Number(query.get('limit') ?? 50), options.cap ?? Number.POSITIVE_INFINITY);
  const page = items.slice(offset, offset + limit);
  const total = options.total ?? items.length;
  sendJson(response, 200, {
    api_version: '3.0',
    kind: 'PAGINATED',
    data: {
      items: page,
      item_count: page.length,
      total,
      page_size: limit,
      page_count: Math.ceil(total / limit),
      page_index: Math.floor(offset / limit) + 1,
      offset,
    },
  });
}

export function sendError(response: ServerResponse, status: number, message: string, reason = 'Tried'): void {
  const error = { code: status, message, errors: [{ reason, message, help: '' }] };
  sendJson(response, status, { api_version: '3.0', kind: 'ERROR', error });
}
