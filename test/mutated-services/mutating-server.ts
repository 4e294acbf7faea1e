/** The sample service behind a listener that changes its answers; one workspace for all mutated services. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ENDPOINTS, OPERATION_IDS, type OperationId } from '../../electron/api/endpoints.ts';
import { createSampleApp } from '../../electron/sample-service/start-service.ts';
import { TOKEN } from '../helpers/sample-service.ts';
import { WORKSPACES } from '../helpers/workspaces.ts';
import type { MutatedService, Reply } from './mutation.ts';

const PATTERNS = OPERATION_IDS.map((operation) => {
  const { method, path } = ENDPOINTS[operation];
  return { operation, method, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) };
});

/** Paths without parameters first: `/summary` is not an identifier. */
const operationOf = (method: string, path: string): OperationId | null =>
  PATTERNS.filter((one) => one.method === method && one.pattern.test(path)).toSorted(
    (a, b) => a.pattern.source.split('[^/]+').length - b.pattern.source.split('[^/]+').length,
  )[0]?.operation ?? null;

async function bodyOf(request: IncomingMessage): Promise<Uint8Array<ArrayBuffer> | null> {
  const parts: Uint8Array[] = [];
  for await (const part of request) parts.push(part as Uint8Array);
  return parts.length === 0 ? null : new Uint8Array(Buffer.concat(parts));
}

export class MutatingServer implements AsyncDisposable {
  readonly #app = createSampleApp({ token: TOKEN, limits: 'off', imageFolder: WORKSPACES });
  readonly #server: Server;
  #service: MutatedService | null = null;
  readonly #counts = new Map<OperationId, number>();
  /** Operations that were asked for since the last `take`, and the answers to them that were changed. */
  #asked = new Map<OperationId, unknown[]>();

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<MutatingServer> {
    const server = new MutatingServer();
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Null: the sample service as it is. */
  mutate(service: MutatedService | null): void {
    this.#service = service;
    this.#counts.clear();
    this.#asked.clear();
  }

  /** The operations asked for since the last call, each with the bodies of its answers. */
  take(): ReadonlyMap<OperationId, unknown[]> {
    const asked = this.#asked;
    this.#asked = new Map();
    return asked;
  }

  report() {
    return this.#app.report();
  }

  /** One request without the mutation. */
  async plain(method: string, path: string, body?: unknown): Promise<Reply> {
    return this.#ask(
      method,
      path,
      { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body === undefined ? null : new TextEncoder().encode(JSON.stringify(body)),
    );
  }

  async #ask(
    method: string,
    target: string,
    headers: Record<string, string>,
    body: Uint8Array<ArrayBuffer> | null,
  ): Promise<Reply> {
    const request = new Request(`http://127.0.0.1${target}`, { method, headers, body });
    const answer = await this.#app.fetch(request);
    const text = await answer.text();
    return {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: text === '' ? undefined : JSON.parse(text),
    };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request;
    const headers = Object.fromEntries(
      ['authorization', 'content-type', 'accept'].flatMap((name) => {
        const value = request.headers[name];
        return typeof value === 'string' ? [[name, value]] : [];
      }),
    );
    let reply = await this.#ask(method, url, headers, await bodyOf(request));
    const operation = operationOf(method, url.split('?')[0] ?? url);
    if (operation !== null) {
      const count = (this.#counts.get(operation) ?? 0) + 1;
      this.#counts.set(operation, count);
      for (const mutation of this.#service?.mutations ?? [])
        if (mutation.operations.has(operation)) reply = mutation.change(reply, operation, count);
      this.#asked.set(operation, [...(this.#asked.get(operation) ?? []), reply.body]);
    }
    const { 'content-length': _length, ...rest } = reply.headers;
    response.writeHead(reply.status, rest);
    response.end(reply.body === undefined ? undefined : JSON.stringify(reply.body));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#app.endAnswers();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    this.#app.close();
  }
}
