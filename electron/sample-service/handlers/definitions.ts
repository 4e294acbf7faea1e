/** Records that are defined by an expression over the columns of a model: custom metrics and segments. */
import { madeNow, ORGANIZATION } from '../record-parts.ts';
import type { Service } from '../service.ts';
import type { JsonRecord } from '../store.ts';
import { modelReference } from './models.ts';

type DefinedKind = 'custom-metric' | 'segment';

interface DefinedBody {
  model_id: string;
  name: string;
  description?: string | null | undefined;
  definition: string;
}

/** Whether the model in a body has a record of this kind and name. */
export const isNameTaken = (service: Service, kind: DefinedKind, { model_id: modelId, name }: DefinedBody) =>
  service.stores.resources.list(kind, modelId).some((record) => record['name'] === name);

/** Stores a record as it was sent, and adds its model, author and times. */
export function addDefined(
  service: Service,
  kind: DefinedKind,
  model: JsonRecord,
  { model_id: modelId, name, description, definition, ...rest }: DefinedBody,
): { kind: 'record'; data: JsonRecord } {
  const id = service.random.uuid();
  const record = {
    ...rest,
    id,
    name,
    description: description ?? null,
    definition,
    model: modelReference(model),
    project: model['project'],
    organization: ORGANIZATION,
    ...madeNow(service),
  };
  service.stores.resources.add(kind, id, modelId, record);
  return { kind: 'record', data: record };
}
