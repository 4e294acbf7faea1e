/**
 * The DevTools protocol over Chromium's --remote-debugging-pipe: one connection, flat sessions, and JSON that ends with
 * NUL.
 */
import { EventEmitter } from 'node:events';
import type { Readable, Writable } from 'node:stream';

/** A result from Chromium. The caller knows its form from the protocol, and reads the fields that it needs. */
export type CdpResult = Readonly<Record<string, unknown>>;

interface Pending {
  readonly method: string;
  readonly resolve: (result: CdpResult) => void;
  readonly reject: (error: Error) => void;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: CdpResult;
  readonly result?: CdpResult;
  readonly error?: { readonly message: string };
  readonly sessionId?: string;
}

/** Chromium refused a command, or the connection closed while it was pending. */
class CdpError extends Error {
  override readonly name = 'CdpError';
}

/**
 * One session on the connection. It emits protocol events under their own names, e.g. `Page.loadEventFired`, with their
 * parameters.
 */
export class CdpSession extends EventEmitter {
  readonly #connection: CdpConnection;
  readonly id: string | undefined;

  constructor(connection: CdpConnection, id: string | undefined) {
    super();
    this.setMaxListeners(0);
    this.#connection = connection;
    this.id = id;
  }

  /** Sends one command; rejects with a CdpError that names the command. */
  send(method: string, params: object = {}): Promise<CdpResult> {
    return this.#connection.send(method, params, this.id);
  }

  /** Sends a command that can fail only because its page was closed in the meantime. */
  notify(method: string, params: object = {}): void {
    this.send(method, params).catch((error: unknown) => {
      if (!(error instanceof CdpError)) throw error;
    });
  }
}

/** The session of the browser itself, which gives access to the sessions of pages. */
export class CdpConnection extends CdpSession {
  readonly #output: Writable;
  readonly #pending = new Map<number, Pending>();
  readonly #sessions = new Map<string, CdpSession>();
  readonly #chunks: Buffer[] = [];
  #lastId = 0;
  #isClosed = false;

  constructor(output: Writable, input: Readable) {
    // The root session needs its connection, which is this object, so `send` is overridden below.
    super(undefined as unknown as CdpConnection, undefined);
    this.#output = output;
    input.on('data', (chunk: Buffer) => this.#receive(chunk));
    input.on('close', () => this.#close());
    // EPIPE after Chromium has ended is ignored: the 'close' listener above rejects pending commands.
    output.on('error', () => this.#close());
  }

  override send(method: string, params: object = {}, sessionId?: string): Promise<CdpResult> {
    if (this.#isClosed) return Promise.reject(new CdpError(`${method}: Chromium has closed`));
    this.#lastId += 1;
    const id = this.#lastId;
    const message = sessionId === undefined ? { id, method, params } : { id, method, params, sessionId };
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { method, resolve, reject });
      this.#output.write(`${JSON.stringify(message)}\0`);
    });
  }

  /** Attaches to a target and returns its session. */
  async attach(targetId: string): Promise<CdpSession> {
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    return this.#session(String(sessionId));
  }

  #session(id: string): CdpSession {
    const known = this.#sessions.get(id);
    if (known !== undefined) return known;
    const session = new CdpSession(this, id);
    this.#sessions.set(id, session);
    return session;
  }

  #receive(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf(0); end !== -1; end = rest.indexOf(0)) {
      this.#chunks.push(rest.subarray(0, end));
      const text = Buffer.concat(this.#chunks).toString('utf8');
      this.#chunks.length = 0;
      this.#dispatch(JSON.parse(text) as Message);
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) this.#chunks.push(rest);
  }

  #dispatch(message: Message): void {
    if (message.id !== undefined) {
      const pending = this.#pending.get(message.id);
      this.#pending.delete(message.id);
      if (message.error === undefined) pending?.resolve(message.result ?? {});
      else pending?.reject(new CdpError(`${pending.method}: ${message.error.message}`));
      return;
    }
    const { method, params = {} } = message;
    if (method === 'Target.attachedToTarget') this.#session(String(params['sessionId']));
    if (method === 'Target.detachedFromTarget') this.#detach(String(params['sessionId']));
    const session = message.sessionId === undefined ? this : this.#session(message.sessionId);
    if (method !== undefined) session.emit(method, params);
  }

  #detach(id: string): void {
    this.#sessions.get(id)?.emit('detached');
    this.#sessions.delete(id);
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const pending of this.#pending.values()) {
      pending.reject(new CdpError(`${pending.method}: Chromium has closed`));
    }
    this.#pending.clear();
    this.emit('closed');
  }
}
