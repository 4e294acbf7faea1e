/** Operations that publish, update and delete events (SERVICE.md S4.10, F1). */
import * as z from '../../shared/zod.ts';
import * as records from '../records.ts';
import { type Endpoint, timeBound, write } from './row.ts';

/** SERVICE.md S4.10. The limit of 1,000 events in the API description is a default of clients and no rule here. */
export const publishBody = z.strictObject({
  model_id: z.uuid(),
  env_type: z.string().min(1),
  env_name: z.string().nullish(),
  source: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('EVENTS'), events: z.array(z.record(z.string(), z.unknown())).min(1) }),
    z.strictObject({ type: z.literal('FILE'), file_id: z.uuid() }),
  ]),
});
export type PublishBody = z.infer<typeof publishBody>;

export const deleteEventsBody = z.strictObject({
  model_id: z.uuid(),
  event_ids: z.array(z.string()).nullish(),
  time_range: z.strictObject({ start_time: timeBound, end_time: timeBound }).nullish(),
  update_metrics: z.boolean().optional(),
});

export const eventEndpoints = {
  'events.publish': write({
    method: 'POST',
    path: '/v3/events',
    title: 'Publish events',
    help: 'Stores events of a model. Sending the same events twice stores them twice.',
    section: 'S4.10',
    errors: [400, 401, 403, 404, 500],
    body: publishBody,
    item: records.eventPublishResult,
    identity: null,
    limit: 'unlisted',
  }),
  'events.update': write({
    method: 'PATCH',
    path: '/v3/events',
    title: 'Update events',
    help: 'Changes target and metadata columns of events named by their id.',
    section: 'S4.10',
    errors: [400, 401, 403, 404, 500],
    body: publishBody,
    item: records.eventPublishResult,
    identity: null,
    limit: 'unlisted',
    isRepeatSafe: true,
  }),
  'events.delete': write({
    method: 'DELETE',
    path: '/v3/events',
    title: 'Delete events',
    help: 'Deletes events by id or by time. 30 requests a day.',
    section: 'S4.10',
    errors: [400, 401, 403, 404, 429, 500],
    successStatus: 202,
    body: deleteEventsBody,
    item: records.jobReference,
    identity: null,
    limit: 'event-deletion',
  }),
} satisfies Record<string, Endpoint>;
