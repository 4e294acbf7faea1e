/**
 * Results of experiments (SERVICE.md F10.2, F10.3). The names of a result's fields are not published: here, results
 * have the fields of the upload, and the item of the dataset.
 */
import type { AddResultsBody } from '../../api/endpoints.ts';
import { type FilterNode, isFilterGroup, matchesFilter, parseFilter } from '../../core/text/filters.ts';
import { compareByOrdering, parseOrdering } from '../../core/text/ordering.ts';
import { plannedResults } from '../generate/experiments.ts';
import { parsing } from '../lists.ts';
import { idOfReference } from '../record-parts.ts';
import type { Service } from '../service.ts';
import { malformed, ServiceError } from '../service-error.ts';
import type { JsonRecord } from '../store.ts';
import type { StoredResult } from '../store-experiments.ts';
import { parseTime } from '../timestamps.ts';
import { requireExperiment } from './experiments.ts';
import type { Handlers } from './handler.ts';

/** Maximum results in one request (assumption). */
const MAX_RESULTS = 1_000;
const ITEM_STATUSES: readonly string[] = ['SUCCESS', 'FAILED', 'SKIPPED'];
const ITEM_OPERATORS: readonly string[] = ['equal', 'not_equal', 'in', 'not_in'];
const SCORE_FIELD = 'scores.';

/** All results that are visible now, newest first. Those of the sample workspace are generated if needed. */
export function resultsOf(service: Service, experimentId: string): StoredResult[] {
  const { experiments } = fill(service, experimentId).stores;
  return experiments.all(experimentId, service.clock.nowMs());
}

function fill(service: Service, experimentId: string): Service {
  const plan = service.stores.experiments.takePlan(experimentId);
  if (plan !== null) service.stores.experiments.put(experimentId, plannedResults(service.stores.items, plan));
  return service;
}

function checkFilter(node: FilterNode): void {
  if (isFilterGroup(node)) {
    for (const rule of node.rules) checkFilter(rule);
    return;
  }
  if (node.field === 'experiment_item_id' && ITEM_OPERATORS.includes(node.operator)) return;
  throw malformed(
    `Results can be filtered by experiment_item_id with ${ITEM_OPERATORS.join(', ')}; ${node.field} ${node.operator} was sent.`,
  );
}

/** The value to order by. Scores are ordered by the score with a given name, or by the first one. */
function orderedValue(result: StoredResult, field: string): unknown {
  if (field === 'timestamp') return result.timestampMs;
  if (field === 'created_at') return result.createdAt;
  const name = field.slice(SCORE_FIELD.length);
  const score =
    name === 'score_value' ? result.scores[0] : result.scores.find((each) => each['name'] === name);
  return score?.['value'] ?? score?.['label'];
}

function sorted(results: StoredResult[], ordering: string): StoredResult[] {
  const terms = parsing(() => parseOrdering(ordering));
  for (const { field } of terms) {
    if (field !== 'timestamp' && field !== 'created_at' && !field.startsWith(SCORE_FIELD)) {
      throw malformed(
        `Results can be ordered by timestamp, created_at and scores.NAME; "${field}" was sent.`,
      );
    }
  }
  return results.toSorted((a, b) =>
    compareByOrdering(
      terms,
      (field) => orderedValue(a, field),
      (field) => orderedValue(b, field),
    ),
  );
}

function shown({ stores }: Service, datasetId: string, result: StoredResult): JsonRecord {
  const id = String(result.item['dataset_item_id']);
  const item = stores.items.get(datasetId, id);
  return {
    experiment_item: result.item,
    dataset_item: {
      id,
      inputs: item?.['inputs'] ?? {},
      expected_outputs: item?.['expected_outputs'] ?? {},
      metadata: item?.['metadata'] ?? {},
    },
    scores: result.scores,
    created_at: result.createdAt,
    updated_at: result.updatedAt,
  };
}

/** The stored result with these scores added. A score with the same evaluator and name is replaced (assumption). */
function merged(
  earlier: StoredResult | null,
  { experiment_item: item, scores }: AddResultsBody['results'][number],
  nowMs: number,
): StoredResult {
  const keyOf = (score: JsonRecord) => JSON.stringify([score['evaluator_name'], score['name']]);
  const sent = scores.map(
    (score): JsonRecord => ({
      ...{
        value: null,
        label: null,
        reasoning: null,
        status: 'SUCCESS',
        error_reason: null,
        error_message: null,
      },
      ...score,
    }),
  );
  const kept = new Set(sent.map(keyOf));
  const now = new Date(nowMs).toISOString();
  return {
    item: { error_reason: null, error_message: null, duration_ms: null, ...item },
    scores: [...(earlier?.scores ?? []).filter((score) => !kept.has(keyOf(score))), ...sent],
    createdAt: earlier?.createdAt ?? now,
    updatedAt: now,
    timestampMs: parseTime(item.timestamp) ?? nowMs,
    visibleMs: 0,
  };
}

function checkResults(results: AddResultsBody['results']): void {
  if (results.length > MAX_RESULTS) {
    throw new ServiceError(400, `At most ${MAX_RESULTS} results a request; ${results.length} were sent.`, {
      issues: [{ reason: 'ValidationError', message: 'Too many results.', help: 'Send them in parts.' }],
    });
  }
  const issues = results.flatMap(({ experiment_item: { status, timestamp } }, index) => {
    const what = ITEM_STATUSES.includes(status)
      ? parseTime(timestamp) === null
        ? `timestamp must be a time like "2025-09-27T17:00:00Z"; "${timestamp}" was sent`
        : null
      : `status must be one of ${ITEM_STATUSES.join(', ')}; "${status}" was sent`;
    const message = `results[${index}].experiment_item: ${what ?? ''}.`;
    return what === null
      ? []
      : [{ reason: 'ValidationError', message, help: 'No result of this request was stored.' }];
  });
  if (issues.length > 0) throw new ServiceError(400, `${issues.length} results are not valid.`, { issues });
}

export const experimentResultHandlers = {
  'experiments.results': (service, request) => {
    const id = request.path('experiment_id');
    const experiment = requireExperiment(service, id);
    const datasetId = idOfReference(experiment, 'dataset') ?? '';
    const { limit, offset } = request.page;
    const [filterText, ordering] = [request.query('filter'), request.query('ordering')];
    const nowMs = service.clock.nowMs();
    if (filterText === null && ordering === null) {
      const { items, total } = fill(service, id).stores.experiments.page(id, nowMs, request.page);
      const page = items.map((result) => shown(service, datasetId, result));
      return { kind: 'page', items: page, total, limit, offset };
    }
    let results = resultsOf(service, id);
    if (filterText !== null) {
      const filter = parsing(() => parseFilter(filterText));
      checkFilter(filter);
      results = results.filter(({ item }) => matchesFilter(filter, () => item['id']));
    }
    if (ordering !== null) results = sorted(results, ordering);
    const items = results.slice(offset, offset + limit).map((result) => shown(service, datasetId, result));
    return { kind: 'page', items, total: results.length, limit, offset };
  },

  'experiments.add-results': (service, request) => {
    const id = request.path('experiment_id');
    requireExperiment(service, id);
    const { results } = request.body;
    checkResults(results);
    const { experiments } = fill(service, id).stores;
    const nowMs = service.clock.nowMs();
    for (const result of results) {
      experiments.put(id, [merged(experiments.get(id, result.experiment_item.id), result, nowMs)]);
    }
    return { kind: 'record', data: undefined };
  },
} satisfies Pick<Handlers, 'experiments.results' | 'experiments.add-results'>;
