/**
 * A service for events in a separate process. It answers at once, or after a number of ms, and stores nothing, so that
 * the time of an upload is that of the client. Prints its address; `GET /seen` reports the received events.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const latencyMs = Number(process.argv[2] ?? 0);
const BETWEEN_EVENTS = Buffer.from('},{');
const MODEL = { id: '5f0c7c1e-3c3b-4e57-9a3b-0d5f5a1f2b3c', name: 'Bench' };
const seen = { requests: 0, rows: 0, mostAtOnce: 0 };
let atOnce = 0;

/** Number of events in a body without nested objects. */
function countEvents(body: Buffer): number {
  let count = 1;
  for (let at = body.indexOf(BETWEEN_EVENTS); at >= 0; at = body.indexOf(BETWEEN_EVENTS, at + 3)) count += 1;
  return count;
}

function publish(body: Buffer, response: ServerResponse): void {
  seen.requests += 1;
  atOnce += 1;
  seen.mostAtOnce = Math.max(seen.mostAtOnce, atOnce);
  const request = seen.requests;
  const rows = countEvents(body);
  seen.rows += rows;
  const event_ids = Array.from({ length: rows }, (_, index) => `${request}-${index}`);
  const answer = JSON.stringify({ api_version: '3.0', kind: 'NORMAL', data: { event_ids } });
  const end = () => {
    atOnce -= 1;
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(answer);
  };
  if (latencyMs === 0) end();
  else setTimeout(end, latencyMs);
}

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const json = (value: unknown) =>
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
    const { method, url = '' } = request;
    if (method === 'POST') publish(Buffer.concat(parts), response);
    else if (url === '/seen') json(seen);
    else if (url.includes('/environments'))
      json({ api_version: '3.0', kind: 'PAGINATED', data: { items: [], total: 0, offset: 0 } });
    else if (url.includes(MODEL.id)) json({ api_version: '3.0', kind: 'NORMAL', data: MODEL });
    else json({ api_version: '3.0', kind: 'PAGINATED', data: { items: [MODEL], total: 1, offset: 0 } });
  });
});
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
