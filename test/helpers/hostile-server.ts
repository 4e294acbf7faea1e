/** A server on the level of TCP. It writes given bytes, with the delays and interruptions that the test asks for. */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** The bytes that a server writes, and their timing. It starts once it has read the head of a request. */
export interface HostileAnswer {
  /** Pieces of the answer, each written separately. */
  pieces: Buffer[];
  pace: 'at once' | 'in turns' | 'slowly';
  end: 'end' | 'reset' | 'stay';
}

/** Listens on one port and answers each request according to `next`. */
export class HostileServer implements AsyncDisposable {
  next: HostileAnswer = { pieces: [], pace: 'at once', end: 'end' };
  /** Number of requests that were read. A test may reset it. */
  heard = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('error', () => socket.destroy());
      socket.once('data', () => {
        this.heard += 1;
        void send(socket, this.next);
      });
      socket.resume();
    });
  }

  static start(): Promise<HostileServer> {
    const server = createServer({ noDelay: true });
    return new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve(new HostileServer(server)));
    });
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Ends the open sockets. The server answers one request per socket, so it would ignore further ones. */
  dropSockets(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return new Promise((resolve) => {
      this.dropSockets();
      this.#server.close(() => resolve());
    });
  }
}

async function send(socket: Socket, { pieces, pace, end }: HostileAnswer): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed) return;
    await new Promise<void>((resolve) => {
      socket.write(piece, () => resolve());
    });
    if (pace === 'in turns') await new Promise((resolve) => setImmediate(resolve));
    if (pace === 'slowly') {
      await new Promise((resolve) => {
        setTimeout(resolve, 40);
      });
    }
  }
  if (end === 'end') socket.end();
  if (end === 'reset') socket.resetAndDestroy();
}
