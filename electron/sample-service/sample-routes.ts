/**
 * Test routes of the sample service: its report, events and faults. They are not part of the interface and need no
 * token.
 */
import type { Hono } from 'hono';
import { ENDPOINTS } from '../api/endpoints.ts';
import * as z from '../shared/zod.ts';
import { type FaultScript, parseFaults } from './faults.ts';
import { jsonReply, toResponse } from './replies.ts';
import type { Reporter } from './report.ts';
import type { Service } from './service.ts';
import type { JsonRecord } from './store.ts';

interface EventsView {
  count: number;
  ids: string[];
}

export interface EventsViewWithRecords extends EventsView {
  /** The events as they are stored, in the order of `ids`. */
  records: JsonRecord[];
}

/** The stored events of a model in order, after due deletions were applied. */
function eventsView(service: Service, modelId: string): EventsView {
  service.jobs.settle();
  const ids = service.stores.events.ids(modelId);
  return { count: ids.length, ids };
}

export function eventsViewWithRecords(service: Service, modelId: string): EventsViewWithRecords {
  const view = eventsView(service, modelId);
  return { ...view, records: service.stores.events.all(modelId).map(({ event }) => event) };
}

const LOOPBACK_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

function plain(status: number, body: unknown): Response {
  return toResponse(jsonReply(status, body));
}

/** Adds the routes. Web pages must not reach them, so requests with an Origin or another Host are rejected. */
export function addSampleRoutes(
  app: Hono<{ Bindings: import('@hono/node-server').HttpBindings }>,
  parts: { service: Service; reporter: Reporter; faults: FaultScript },
): void {
  app.use('/__sample/*', async (context, next) => {
    const host = context.req.header('host') ?? '';
    if (!LOOPBACK_HOST.test(host) || context.req.header('origin') !== undefined) {
      return plain(403, { message: 'Only for programs on this computer.' });
    }
    await next();
    return undefined;
  });
  app.get('/__sample/report', () => plain(200, parts.reporter.read()));
  app.post('/__sample/clear-report', () => {
    parts.reporter.clear();
    return plain(200, parts.reporter.read());
  });
  app.get('/__sample/endpoints', () =>
    plain(
      200,
      Object.entries(ENDPOINTS).map(([operation, row]) => ({
        operation,
        method: row.method,
        path: row.path,
      })),
    ),
  );
  app.get('/__sample/events', (context) => {
    const modelId = context.req.query('model_id') ?? '';
    if (!z.uuid().safeParse(modelId).success) return plain(400, { message: 'model_id must be a uuid.' });
    const hasRecords = context.req.query('records') === 'true';
    return plain(
      200,
      hasRecords ? eventsViewWithRecords(parts.service, modelId) : eventsView(parts.service, modelId),
    );
  });
  app.get('/__sample/faults', () => plain(200, parts.faults.list()));
  app.post('/__sample/faults', async (context) => {
    try {
      const rules = parseFaults(await context.req.json());
      parts.faults.set(rules);
      return plain(200, { rules: rules.length });
    } catch (error) {
      return plain(400, { message: error instanceof Error ? error.message : String(error) });
    }
  });
}
