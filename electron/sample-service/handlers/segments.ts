/** Segments of models (SERVICE.md F11). */
import { listAnswer } from '../lists.ts';
import { segmentIssue } from '../monitoring/definition.ts';
import { columnsOf } from '../monitoring/metrics.ts';
import { requiredOf } from '../record-parts.ts';
import { ServiceError } from '../service-error.ts';
import type { JsonRecord } from '../store.ts';
import { refuseWhileWatched } from './baselines.ts';
import { addDefined, isNameTaken } from './definitions.ts';
import type { Handlers } from './handler.ts';
import { requireModel } from './models.ts';

const requireSegment = requiredOf('segment', 'Segment');

/** Throws a 400 if the definition is not a condition on the rows of the model. */
function checkDefinition(model: JsonRecord, definition: string): void {
  const columns = columnsOf(model);
  const flags = columns.filter(({ data_type: type }) => type === 'bool');
  const names = (some: typeof columns) => new Set(some.map(({ name }) => name));
  const issue = segmentIssue(definition, names(columns), names(flags));
  if (issue === null) return;
  throw new ServiceError(400, `The definition is not valid: ${issue}.`, { reason: 'InvalidDefinition' });
}

export const segmentHandlers = {
  'segments.list': ({ stores }, request) => listAnswer(stores.resources.list('segment'), request),

  'segments.create': (service, request) => {
    const { body } = request;
    const model = requireModel(service, body.model_id);
    checkDefinition(model, body.definition);
    if (isNameTaken(service, 'segment', body))
      throw new ServiceError(409, `The model has a segment named "${body.name}" already.`);
    return addDefined(service, 'segment', model, body);
  },

  'segments.get': (service, request) => ({
    kind: 'record',
    data: requireSegment(service, request.path('segment_id')),
  }),

  'segments.delete': (service, request) => {
    const id = request.path('segment_id');
    requireSegment(service, id);
    refuseWhileWatched(service, 'segment', id);
    service.stores.resources.remove('segment', id);
    return { kind: 'record', data: {} };
  },
} satisfies Pick<Handlers, 'segments.list' | 'segments.create' | 'segments.get' | 'segments.delete'>;
