/** A service with many spans, in a separate thread, so that its work does not count as the application's. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';

const { total, attributeCharacters } = z
  .object({ total: z.number(), attributeCharacters: z.number() })
  .parse(workerData);
const FIRST_MS = Date.UTC(2025, 4, 1);
const text = 'The parcel left the depot and will arrive tomorrow. '.repeat(
  Math.ceil(attributeCharacters / 52),
);

function span(index: number): Record<string, unknown> {
  const hex = (value: number, length: number) => value.toString(16).padStart(length, '0');
  return {
    trace_id: hex(Math.floor(index / 6) + 1, 32),
    span_id: hex(index + 1, 16),
    name: 'draft_answer',
    status_code: 'OK',
    start_time: new Date(FIRST_MS + index * 1_000).toISOString(),
    duration: 1_200,
    span_type: 'llm',
    span_attributes: {
      'system.gen_ai.llm.input.user': `${index} ${text.slice(0, attributeCharacters / 2)}`,
      'system.gen_ai.llm.output': text.slice(0, attributeCharacters / 2),
      'system.gen_ai.request.model': 'm',
      ...(index % 7 === 0 ? {} : { 'user.intent': `intent ${index % 40}` }),
    },
  };
}

const asked = z.object({
  offset: z.number().optional(),
  page_size: z.number().optional(),
  spans: z.array(z.object({ trace_id: z.string(), span_id: z.string() })).optional(),
});
let items = 0;

function answer(path: string, body: z.infer<typeof asked>): { status: number; data: unknown; kind: string } {
  const normal = (data: unknown, status = 200) => ({ status, data, kind: 'NORMAL' });
  if (path.endsWith('/spans/query')) {
    const { offset = 0, page_size: size = 50 } = body;
    const count = Math.max(0, Math.min(size, total - offset));
    const page = Array.from({ length: count }, (_, index) => span(offset + index));
    return {
      status: 200,
      kind: 'PAGINATED',
      data: { items: page, item_count: count, total, page_size: size, offset },
    };
  }
  if (path.endsWith('/schema')) {
    return normal({
      total_items: items,
      sampled: false,
      inputs: {},
      expected_outputs: {},
      metadata: {},
      extras: {},
    });
  }
  if (path.endsWith('/from-spans')) {
    const written = (body.spans ?? []).map((ref) => ({ ...ref, item_id: crypto.randomUUID() }));
    items += written.length;
    return normal({ items: written }, 201);
  }
  return normal({ id: crypto.randomUUID(), name: 'Many' }, 201);
}

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const sent = Buffer.concat(parts).toString();
    const { status, data, kind } = answer(
      request.url ?? '',
      asked.parse(sent === '' ? {} : JSON.parse(sent)),
    );
    response.writeHead(status, {
      'content-type': 'application/json',
      'x-ratelimit-limit': '1000 per 1 second, 60000 per 1 minute',
      'x-ratelimit-remaining': '999',
    });
    response.end(JSON.stringify({ api_version: '3.0', kind, data }));
  });
});
server.listen(0, '127.0.0.1', () => {
  parentPort?.postMessage((server.address() as AddressInfo).port);
});
