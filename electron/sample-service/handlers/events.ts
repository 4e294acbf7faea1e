/** Publish, update and delete events (SERVICE.md S4.10, F1). */
import type { PublishBody } from '../../api/endpoints.ts';
import type { Answer } from '../envelope.ts';
import { type EventSchema, eventIssues, eventSchema, eventTimeMs } from '../event-values.ts';
import { referenceTo } from '../record-parts.ts';
import type { Service } from '../service.ts';
import { malformed, notFound, ServiceError } from '../service-error.ts';
import type { JsonRecord } from '../store.ts';
import { parseTime } from '../timestamps.ts';
import type { Handlers } from './handler.ts';
import { requireModel } from './models.ts';

function environmentOf(service: Service, body: PublishBody): { id: string; isProduction: boolean } {
  const isProduction = body.env_type === 'PRODUCTION';
  if (!isProduction && body.env_type !== 'PRE_PRODUCTION') {
    throw malformed(`env_type must be PRODUCTION or PRE_PRODUCTION; "${body.env_type}" was sent.`);
  }
  const name = body.env_name ?? null;
  if (!isProduction && name === null) throw malformed('env_name is required with env_type PRE_PRODUCTION.');
  const environment = service.stores.resources
    .list('environment', body.model_id)
    .find((record) => record['type'] === body.env_type && (name === null || record['name'] === name));
  if (environment === undefined) {
    throw new ServiceError(
      404,
      `The model has no ${body.env_type} environment${name === null ? '' : ` named "${name}"`}.`,
    );
  }
  return { id: String(environment['id']), isProduction };
}

function eventsOf(service: Service, body: PublishBody): JsonRecord[] {
  if (body.source.type === 'FILE') {
    throw new ServiceError(400, 'Updates are sent as events, not as a file.');
  }
  const { maxEvents } = service.settings;
  if (body.source.events.length > maxEvents) {
    throw malformed(
      `source.events holds ${body.source.events.length} events; at most ${maxEvents} are accepted in one request.`,
    );
  }
  return body.source.events;
}

/** Rejects the whole request with one entry for each bad event, which has the event's index and column. */
function refuseBadEvents(issuesOf: (index: number) => string[], count: number): void {
  const issues = Array.from({ length: count }, (_, index) => ({ index, found: issuesOf(index) }))
    .filter(({ found }) => found.length > 0)
    .map(({ index, found }) => ({
      reason: 'InvalidEvent',
      message: `events[${index}]: ${found.join('; ')}`,
      help: 'Correct the event or leave it out; no event of this request was stored.',
    }));
  if (issues.length === 0) return;
  throw new ServiceError(400, `${issues.length} of ${count} events do not fit the schema of the model.`, {
    issues,
  });
}

function idOf(schema: EventSchema, event: JsonRecord): string | null {
  return schema.idColumn === null ? null : String(event[schema.idColumn]);
}

/** Starts a job that stores the lines of an uploaded file as events. */
function publishFile(service: Service, body: PublishBody, fileId: string): Answer {
  const model = requireModel(service, body.model_id);
  const file = service.stores.resources.get('file', fileId);
  if (file === null) throw notFound('File', fileId);
  if (file['status'] !== 'SUCCESSFUL') throw new ServiceError(400, 'The upload of the file is not complete.');
  const environment = environmentOf(service, body);
  const job = service.jobs.start(
    'Publish file',
    {
      resource_type: 'DATASET',
      resource_name: file['filename'],
      model: referenceTo(model),
      project: model['project'],
    },
    {
      type: 'publish-file',
      modelId: body.model_id,
      environmentId: environment.id,
      isProduction: environment.isProduction,
      fileId,
      arrivalMs: service.clock.nowMs(),
    },
  );
  return { kind: 'record', data: { source_type: 'FILE', job } };
}

function publish(service: Service, body: PublishBody): Answer {
  if (body.source.type === 'FILE') return publishFile(service, body, body.source.file_id);
  const model = requireModel(service, body.model_id);
  const environment = environmentOf(service, body);
  const events = eventsOf(service, body);
  const schema = eventSchema(model);
  refuseBadEvents((index) => eventIssues(schema, events[index] ?? {}, 'publish'), events.length);
  const arrivalMs = service.clock.nowMs();
  const rows = events.map((event) => ({
    id: idOf(schema, event) ?? service.random.uuid(),
    modelId: body.model_id,
    environmentId: environment.id,
    isProduction: environment.isProduction,
    timeMs: eventTimeMs(schema, event) ?? arrivalMs,
    record: event,
  }));
  service.stores.events.add(rows);
  return { kind: 'record', data: { source_type: 'EVENTS', event_ids: rows.map((row) => row.id) } };
}

function update(service: Service, body: PublishBody): Answer {
  const model = requireModel(service, body.model_id);
  if (!environmentOf(service, body).isProduction) {
    throw new ServiceError(
      400,
      'Only events of PRODUCTION can be updated; a pre-production set does not change.',
    );
  }
  const events = eventsOf(service, body);
  const schema = eventSchema(model);
  if (schema.idColumn === null) {
    throw new ServiceError(
      400,
      'The model has no event id column, so its events cannot be named in an update.',
    );
  }
  const ids = events.map((event) => idOf(schema, event) ?? '');
  refuseBadEvents((index) => {
    const issues = eventIssues(schema, events[index] ?? {}, 'update');
    if (issues.length > 0) return issues;
    const id = ids[index] ?? '';
    return service.stores.events.has(body.model_id, id) ? [] : [`no event has the id "${id}"`];
  }, events.length);
  const changes = events.map((event, index) => {
    const columns = Object.fromEntries(Object.entries(event).filter(([name]) => schema.updatable.has(name)));
    return { id: ids[index] ?? '', columns, timeMs: eventTimeMs(schema, columns) };
  });
  service.stores.events.update(body.model_id, changes);
  return { kind: 'record', data: { source_type: 'EVENTS', event_ids: ids } };
}

function timeRange(range: { start_time: string | number; end_time: string | number }): {
  startMs: number;
  endMs: number;
} {
  const [startMs, endMs] = [parseTime(range.start_time), parseTime(range.end_time)];
  if (startMs === null || endMs === null) {
    throw malformed(
      'time_range: start_time and end_time must be times like "2024-09-27 17:00:00" or numbers.',
    );
  }
  if (endMs <= startMs) throw malformed('time_range: end_time must be later than start_time.');
  return { startMs, endMs };
}

export const eventHandlers = {
  'events.publish': (service, request) => publish(service, request.body),

  'events.update': (service, request) => update(service, request.body),

  'events.delete': (service, request) => {
    const { model_id: modelId, event_ids: ids, time_range: range } = request.body;
    const model = requireModel(service, modelId);
    const hasIds = ids !== null && ids !== undefined;
    const hasRange = range !== null && range !== undefined;
    if (hasIds === hasRange) throw malformed('Send exactly one of event_ids and time_range.');
    if (hasIds && ids.length === 0) throw malformed('event_ids must name at least one event.');
    const job = service.jobs.start(
      'Delete events',
      {
        resource_type: 'EVENT',
        resource_name: model['name'],
        project_name: Reflect.get(Object(model['project']), 'name') ?? null,
        project: model['project'],
        model: { id: modelId, name: model['name'], version: model['version'] },
      },
      {
        type: 'delete-events',
        modelId,
        upTo: service.stores.events.lastPosition(),
        ids: hasIds ? ids : null,
        timeRange: hasRange ? timeRange(range) : null,
      },
    );
    return { kind: 'record', data: { job } };
  },
} satisfies Pick<Handlers, 'events.publish' | 'events.update' | 'events.delete'>;
