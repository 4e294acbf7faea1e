/**
 * Intercepts all requests of all windows and workers: custom schemes are served, and other requests are passed to
 * `onBeforeRequest`.
 */
import type { CdpConnection, CdpResult } from './cdp.ts';
import { objectAt, textAt } from './events.ts';
import { servedSchemes, toApp, toChromium } from './urls.ts';

/** Answers requests of one scheme, as passed to `protocol.handle`. */
export type SchemeHandler = (request: Request) => Response | Promise<Response>;

/** The argument of `webRequest.onBeforeRequest` listeners. */
export interface BeforeRequestDetails {
  readonly id: number;
  readonly url: string;
  readonly method: string;
  readonly resourceType: string;
  readonly referrer: string;
  readonly timestamp: number;
}

/** A listener's answer. */
export interface BeforeRequestAnswer {
  readonly cancel?: boolean;
  readonly redirectURL?: string;
}

/** The details that `webRequest.onBeforeRequest` receives. */
export type BeforeRequestListener = (
  details: BeforeRequestDetails,
  callback: (answer: BeforeRequestAnswer) => void,
) => void;

/** Origin of the stand-in's own hidden page, which is served empty and invisible to the app. */
export const HOST_ORIGIN = 'https://page.chromium-host.app.invalid';

const RESOURCE_TYPES: Readonly<Record<string, string>> = {
  Document: 'mainFrame',
  Stylesheet: 'stylesheet',
  Script: 'script',
  Image: 'image',
  Font: 'font',
  XHR: 'xhr',
  Fetch: 'xhr',
  Media: 'media',
  Ping: 'ping',
  WebSocket: 'webSocket',
};

interface Header {
  readonly name: string;
  readonly value: string;
}

/** Headers for Chromium. Sources in a Content-Security-Policy that name a served scheme are translated too. */
function chromiumHeaders(headers: Headers): Header[] {
  const list: Header[] = [];
  for (const [name, value] of headers) {
    const isPolicy = name.toLowerCase() === 'content-security-policy';
    list.push({
      name,
      value: isPolicy ? translatePolicy(value) : name === 'location' ? toChromium(value) : value,
    });
  }
  return list;
}

function translatePolicy(policy: string): string {
  return policy.replace(
    /([a-z][a-z0-9+.-]*):(?:\/\/([^\s;/]*))?(?=[\s;]|$)/gi,
    (source, scheme: string, host?: string) => {
      if (!servedSchemes.has(scheme.toLowerCase())) return source;
      return `https://${host ?? '*'}.${scheme.toLowerCase()}.app.invalid`;
    },
  );
}

function bodyOf(request: CdpResult): Buffer | undefined {
  const entries = request['postDataEntries'] as readonly { bytes?: string }[] | undefined;
  if (entries !== undefined)
    return Buffer.concat(entries.map(({ bytes }) => Buffer.from(bytes ?? '', 'base64')));
  const text = request['postData'];
  return text === undefined ? undefined : Buffer.from(String(text));
}

export class Network {
  readonly handlers = new Map<string, SchemeHandler>();
  beforeRequest: BeforeRequestListener | undefined;
  /** Waits until the window of this frame is prepared; false for a window that is not allowed. */
  admitFrame: (frameId: string, isDocument: boolean) => Promise<boolean> = () => Promise.resolve(true);
  #connection: CdpConnection | undefined;
  #lastId = 0;

  /** Starts intercepting requests. */
  async start(connection: CdpConnection): Promise<void> {
    this.#connection = connection;
    connection.on('Fetch.requestPaused', (params: CdpResult) => {
      this.#answer(params).catch((error: unknown) => {
        process.stderr.write(`${String(error)}\n`);
        this.#fail(params, 'Failed');
      });
    });
    await connection.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
  }

  async #answer(params: CdpResult): Promise<void> {
    const request = objectAt(params, 'request');
    const type = textAt(params, 'resourceType');
    if (!(await this.admitFrame(textAt(params, 'frameId'), type === 'Document'))) {
      this.#fail(params, 'BlockedByClient');
      return;
    }
    const chromiumUrl = textAt(request, 'url');
    if (chromiumUrl.startsWith(`${HOST_ORIGIN}/`)) {
      this.#fulfill(params, 200, [{ name: 'content-type', value: 'text/html' }]);
      return;
    }
    const url = toApp(chromiumUrl);
    const answer = await this.#askBeforeRequest(url, request, type);
    if (answer.cancel === true) this.#fail(params, 'BlockedByClient');
    else if (answer.redirectURL !== undefined) {
      this.#fulfill(params, 307, [{ name: 'location', value: toChromium(answer.redirectURL) }]);
    } else if (url === chromiumUrl)
      this.#connection?.notify('Fetch.continueRequest', { requestId: params['requestId'] });
    // Chromium requests a favicon from every https origin; Electron requests none from a custom scheme.
    else if (type === 'Other' && new URL(url).pathname === '/favicon.ico') this.#fulfill(params, 204, []);
    else await this.#serve(params, url, request);
  }

  #askBeforeRequest(url: string, request: CdpResult, type: string): Promise<BeforeRequestAnswer> {
    const listener = this.beforeRequest;
    if (listener === undefined) return Promise.resolve({});
    this.#lastId += 1;
    const details: BeforeRequestDetails = {
      id: this.#lastId,
      url,
      method: textAt(request, 'method'),
      resourceType: RESOURCE_TYPES[type] ?? 'other',
      referrer: toApp(textAt(objectAt(request, 'headers'), 'Referer')),
      timestamp: Date.now(),
    };
    return new Promise((resolve) => listener(details, resolve));
  }

  async #serve(params: CdpResult, url: string, raw: CdpResult): Promise<void> {
    const handler = this.handlers.get(new URL(url).protocol.slice(0, -1));
    if (handler === undefined) {
      this.#fail(params, 'Failed');
      return;
    }
    const body = bodyOf(raw);
    const headers = new Headers(objectAt(raw, 'headers') as Record<string, string>);
    const init: RequestInit = { method: textAt(raw, 'method'), headers };
    if (body !== undefined) init.body = new Uint8Array(body);
    try {
      const response = await handler(new Request(url, init));
      const bytes = Buffer.from(await response.arrayBuffer());
      this.#fulfill(params, response.status, chromiumHeaders(response.headers), bytes);
    } catch (error) {
      process.stderr.write(`protocol handler of ${url}: ${String(error)}\n`);
      this.#fail(params, 'Failed');
    }
  }

  #fulfill(params: CdpResult, status: number, headers: readonly Header[], body?: Buffer): void {
    this.#connection?.notify('Fetch.fulfillRequest', {
      requestId: params['requestId'],
      // Response.error() has status 0, which Chromium does not accept.
      responseCode: status === 0 ? 500 : status,
      responseHeaders: headers,
      ...(body === undefined ? {} : { body: body.toString('base64') }),
    });
  }

  #fail(params: CdpResult, reason: string): void {
    this.#connection?.notify('Fetch.failRequest', { requestId: params['requestId'], errorReason: reason });
  }
}

/** The only instance in this process. */
export const network = new Network();
