/** Segments: named parts of the rows of a model (SERVICE.md F11). */
import * as z from '../../shared/zod.ts';
import * as records from '../records.ts';
import { type Endpoint, list, nothing, read, write } from './row.ts';

export const createSegmentBody = z.looseObject({
  model_id: z.uuid(),
  name: z.string().min(1),
  /** An FQL expression that is true or false for each row. */
  definition: z.string().min(1),
  description: z.string().nullish(),
});

export const segmentEndpoints = {
  'segments.list': list({
    path: '/v3/segments',
    title: 'Segments',
    help: 'Named parts of the rows of models.',
    section: 'F11',
    errors: [400, 401, 403, 500],
    item: records.segment,
  }),
  'segments.create': write({
    method: 'POST',
    path: '/v3/segments',
    title: 'Create a segment',
    help: 'A part of the rows of a model, defined by an expression that is true or false; it cannot be changed later.',
    section: 'F11',
    errors: [400, 401, 403, 404, 409, 500],
    body: createSegmentBody,
    item: records.segment,
  }),
  'segments.get': read({
    path: '/v3/segments/{segment_id}',
    title: 'Segment',
    help: 'One segment.',
    section: 'F11',
    errors: [401, 403, 404, 500],
    item: records.segment,
  }),
  'segments.delete': write({
    method: 'DELETE',
    path: '/v3/segments/{segment_id}',
    title: 'Delete a segment',
    help: 'Deletes one segment.',
    section: 'F11',
    errors: [400, 401, 403, 404, 500],
    body: null,
    item: nothing,
    identity: null,
    isRepeatSafe: true,
  }),
} satisfies Record<string, Endpoint>;
