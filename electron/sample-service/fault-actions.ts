/** Executes scripted faults, which replace, change or follow the true answer. */
import type { ServerResponse } from 'node:http';
import type { Clock } from '../core/ports.ts';
import { plainErrorBody } from './envelope.ts';
import type { FaultAction } from './faults.ts';
import { jsonReply, type Reply } from './replies.ts';

export interface FaultConnection {
  outgoing: ServerResponse;
  clock: Clock;
  /** Publishes events like another client would. */
  publishLive: (modelId: string, rows: number) => void;
  /** Resolves when the service stops or the client disconnects. */
  closed: Promise<void>;
}

/** Null if the fault has already handled the connection, so that nothing is left to send. */
type FaultOutcome = Reply | null;

const HTML = `<!doctype html><html><head><title>Gateway</title></head>
<body><h1>The gateway has no answer</h1><p>Please sign in to the network portal.</p></body></html>`;

/** Waits on the service's clock, or until the connection ends. */
async function pause(connection: FaultConnection, delayMs: number): Promise<void> {
  let cancel = (): void => undefined;
  const elapsed = new Promise<void>((resolve) => {
    cancel = connection.clock.setTimer(resolve, delayMs);
  });
  await Promise.race([elapsed, connection.closed]);
  cancel();
}

function htmlReply(status: number): Reply {
  return { status, headers: { 'Content-Type': 'text/html; charset=utf-8' }, text: HTML };
}

function statusReply(action: Extract<FaultAction, { type: 'status' }>): Reply {
  const message = action.message ?? `A scripted fault answered ${action.status}.`;
  const headers = action.retryAfterS === undefined ? {} : { 'Retry-After': String(action.retryAfterS) };
  return jsonReply(action.status, plainErrorBody(action.status, message, action.reason), headers);
}

function otherVersion(reply: Reply, version: string): Reply {
  const body: unknown = reply.text === null ? null : JSON.parse(reply.text);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return reply;
  return { ...reply, text: JSON.stringify({ ...body, api_version: version }) };
}

/** Writes the head of a reply to the socket and returns the bytes of its body. */
function sendHead(connection: FaultConnection, reply: Reply): Buffer {
  const bytes = Buffer.from(reply.text ?? '');
  connection.outgoing.writeHead(reply.status, { ...reply.headers, 'Content-Length': String(bytes.length) });
  connection.outgoing.flushHeaders();
  return bytes;
}

async function cut(connection: FaultConnection, reply: Reply): Promise<void> {
  const bytes = sendHead(connection, reply);
  const half = bytes.subarray(0, Math.floor(bytes.length / 2));
  await new Promise<void>((resolve) => connection.outgoing.write(half, () => resolve()));
  connection.outgoing.destroy();
}

async function drip(
  connection: FaultConnection,
  reply: Reply,
  everyMs: number,
  chunkBytes: number,
): Promise<void> {
  const bytes = sendHead(connection, reply);
  for (let start = 0; start < bytes.length && !connection.outgoing.destroyed; start += chunkBytes) {
    connection.outgoing.write(bytes.subarray(start, start + chunkBytes));
    await pause(connection, everyMs);
  }
  connection.outgoing.end();
}

/** Executes a fault. `carryOut` reads and executes the request, and returns the true answer. */
export async function runFault(
  action: FaultAction,
  connection: FaultConnection,
  carryOut: () => Promise<Reply>,
): Promise<FaultOutcome> {
  switch (action.type) {
    case 'status':
      if (action.isStored === true) await carryOut();
      return statusReply(action);
    case 'html':
      if (action.isStored === true) await carryOut();
      return htmlReply(action.status ?? 200);
    case 'not-envelope':
      return jsonReply(action.status ?? 200, action.body ?? { status: 'ok', version: 7 });
    case 'redirect':
      return { status: action.status ?? 302, headers: { Location: action.to }, text: '' };
    case 'api-version':
      return otherVersion(await carryOut(), action.version);
    case 'truncated-json': {
      const reply = await carryOut();
      return { ...reply, text: (reply.text ?? '').slice(0, Math.floor((reply.text ?? '').length / 2)) };
    }
    case 'live-traffic':
      connection.publishLive(action.modelId, action.rows);
      return carryOut();
    case 'delay':
      await pause(connection, action.delayMs);
      return carryOut();
    default:
      await breakConnection(action, connection, carryOut);
      return null;
  }
}

async function breakConnection(
  action: Extract<FaultAction, { type: 'drop' | 'drop-after' | 'hang' | 'cut' | 'drip' }>,
  connection: FaultConnection,
  carryOut: () => Promise<Reply>,
): Promise<void> {
  switch (action.type) {
    case 'drop':
      connection.outgoing.destroy();
      return;
    case 'drop-after':
      await carryOut();
      connection.outgoing.destroy();
      return;
    case 'hang':
      if (action.isStored === true) await carryOut();
      await connection.closed;
      connection.outgoing.destroy();
      return;
    case 'cut':
      return cut(connection, await carryOut());
    case 'drip':
      return drip(connection, await carryOut(), action.everyMs, action.chunkBytes ?? 16);
  }
}
