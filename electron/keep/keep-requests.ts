/** Determines the lists and records of a kept entry: those that its views request. Pure. */
import { attributeFilter } from '../shared/attribute-filter.ts';
import { ENTITY_TYPES, entityTypeOf } from '../shared/catalog-entity.ts';
import type { JsonObject } from '../shared/json-body.ts';
import type { KeepPlan } from '../shared/keep-model.ts';
import { asked, type KeepRequest, list, modelRecords, record } from './keep-request.ts';
import { requestsOfRule, timesOf } from './rule-requests.ts';

type Json = JsonObject[string];

/** The list of a resource, filtered in the same way as the related lists on a record's page. */
function listOf(operation: string, field: string, id: string): KeepRequest {
  return list(operation, {}, { filter: attributeFilter({ [field]: id }) ?? '' });
}

export function requestsOf(plan: KeepPlan): KeepRequest[] {
  switch (plan.kind) {
    case 'application':
      return ofApplication(plan);
    case 'dataset':
      return ofDataset(plan.id);
    case 'experiment':
      return ofExperiment(plan.id);
    case 'model':
      return ofModel(plan.id);
    case 'alert-rule':
      return requestsOfRule(plan);
    case 'chart':
      return ofChart(plan);
    case 'board':
      return ofBoard(plan);
  }
}

function ofApplication({ id, range, withValues, entities }: KeepPlan): KeepRequest[] {
  const path = { application_id: id };
  return [
    list('applications.list'),
    record('applications.get', path),
    ...['', 'GENAI_CHARTS', 'GENAI_ALERTS'].map((source) =>
      record('applications.metrics', path, source === '' ? {} : { source }),
    ),
    list('attributes.list'),
    listOf('attributes.list', 'application_id', id),
    listOf('datasets.list', 'application_id', id),
    list('catalog.list', path, {}, withValues && entities === null ? 'values' : null),
    ...ENTITY_TYPES.map((type) => list('catalog.list', path, { entity_type: type })),
    ...(withValues && entities !== null ? entities : []).map((each) => valueList(id, each)),
    ...(range === null ? [] : spansOf(id, range)),
  ];
}

function spansOf(applicationId: string, range: { startMs: number; endMs: number }): KeepRequest[] {
  const body = {
    application_id: applicationId,
    start_time: new Date(range.startMs).toISOString(),
    end_time: new Date(range.endMs).toISOString(),
  };
  const spans = { ...body, ordering: '-start_time' };
  return [
    { query: { operation: 'spans.query', path: {}, query: {}, body: spans }, form: 'list', leadsTo: null },
    asked('spans.fields', body),
  ];
}

/** The values of one entity; empty if the record does not name it. */
export function valuesOf(applicationId: string, entity: Readonly<Record<string, unknown>>): KeepRequest[] {
  const { name } = entity;
  if (typeof name !== 'string' || name === '') return [];
  return [valueList(applicationId, { name, type: entityTypeOf(entity, '') })];
}

function valueList(applicationId: string, { name, type }: { name: string; type: string }): KeepRequest {
  return list('catalog.values', { application_id: applicationId }, { entity_type: type, name });
}

/** The scores are already stored locally. */
function ofDataset(id: string): KeepRequest[] {
  const path = { dataset_id: id };
  return [
    list('datasets.list'),
    record('datasets.get', path),
    record('datasets.schema', path),
    list('datasets.items', path),
  ];
}

function ofExperiment(id: string): KeepRequest[] {
  const path = { experiment_id: id };
  return [
    list('experiments.list'),
    record('experiments.get', path),
    record('experiments.metrics', path),
    record('experiments.metric-rows', path),
    list('experiments.results', path),
  ];
}

function ofModel(id: string): KeepRequest[] {
  const path = { model_id: id };
  return [
    list('models.list'),
    ...modelRecords(id),
    list('models.environments', path),
    list('models.baselines', path),
    list('models.custom-metrics', path),
    listOf('alert-rules.list', 'model_id', id),
  ];
}

function ofChart({ body }: KeepPlan): KeepRequest[] {
  if (body === null || body === undefined) return [];
  const models = new Set<string>();
  const applications = new Set<string>();
  collect(body, 'model_id', models);
  collect(body, 'application_id', applications);
  return [
    asked('queries.run', body),
    ...[...models].flatMap(modelRecords),
    ...[...applications].map((id) =>
      record('applications.metrics', { application_id: id }, { source: 'GENAI_CHARTS' }),
    ),
  ];
}

/** The charts of a board, the lists that the board of a model is made from, and the alerts marked in its charts. */
function ofBoard(plan: KeepPlan): KeepRequest[] {
  const { body, range } = plan;
  const queries = Array.isArray(body?.['queries']) ? body['queries'].filter(isObject) : [];
  const rules = Array.isArray(body?.['rules']) ? body['rules'].filter((id) => typeof id === 'string') : [];
  const models = new Set<string>();
  for (const query of queries) collect(query, 'model_id', models);
  const found = [
    ...queries.flatMap((query) => ofChart({ ...plan, body: query })),
    ...[...models].flatMap((id) => [
      list('models.baselines', { model_id: id }),
      listOf('alert-rules.list', 'model_id', id),
    ]),
    ...(range === null
      ? []
      : rules.map((id) => record('alert-rules.history', { alert_id: id }, timesOf(range)))),
  ];
  if (found.length === 0) return [];
  const opens = models.size > 0 ? [list('models.list')] : [list('applications.list')];
  return [...new Map([...opens, ...found].map((each) => [JSON.stringify(each.query), each])).values()];
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Collects texts under a field name, at any depth. */
function collect(value: Json, name: string, found: Set<string>): void {
  if (Array.isArray(value)) for (const each of value) collect(each, name, found);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, part] of Object.entries(value)) {
      if (key === name && typeof part === 'string') found.add(part);
      else collect(part as Json, name, found);
    }
  }
}
