/** The target of the rows of a file: a dataset that gets items, or an experiment that gets results. */
import { ownIdOf, resultOfItem, resultProblem } from '../core/items/result-of-item.ts';
import { parseExact, writeExact } from '../shared/exact-json.ts';
import { type ExperimentResult, type ResultScore, readResult } from '../shared/experiment-result.ts';
import type { ExtractedItem, ExtractedItems, ItemsPlan } from '../shared/items-model.ts';
import type { ItemsLedger } from './items-ledger.ts';
import { idOf, readItems } from './read-items.ts';
import type { ItemJobsDeps } from './types.ts';

export interface ItemTarget {
  /** The body of one request with these items. */
  bodyOf(items: readonly ExtractedItem[]): string;
  /**
   * Sends a request once. `ids`: the ids in the answer, in the order of the items; null if an answer has none, because
   * the service keeps ours.
   */
  send(bodyText: string, signal: AbortSignal): Promise<{ ids: string[] | null; requestId: string }>;
  /** The id that an item has at the service, if the service keeps our ids. */
  idOf(item: ExtractedItem): string;
  /** Reads the stored items, and returns a function that counts the given items among them. */
  counter(signal: AbortSignal): Promise<(items: readonly ExtractedItem[]) => Promise<number>>;
  /** Called after items were added, because stored data is then outdated. */
  added(): void;
}

/** Maximum number of ids in one filter, because the length of a request's address is limited. */
const IDS_A_QUERY = 50;

export function targetOf(deps: ItemJobsDeps, ledger: ItemsLedger): ItemTarget {
  const { experiment } = ledger.stored.plan;
  return experiment === undefined
    ? datasetTarget(deps, ledger)
    : experimentTarget(deps, ledger, experiment.id);
}

function datasetTarget({ client, options, onDatasetChanged }: ItemJobsDeps, ledger: ItemsLedger): ItemTarget {
  const group = `items ${ledger.id}`;
  /** The dataset must be created before anything is sent. */
  const datasetId = () => ledger.datasetId ?? '';
  return {
    bodyOf: (items) => `{"items":[${items.map(({ json }) => json).join(',')}]}`,
    send: async (bodyText, signal) => {
      const { value, requestId } = await client.call(
        'datasets.add-items',
        { path: { dataset_id: datasetId() }, bodyText },
        { priority: 'upload', group, signal, isOnce: true },
      );
      return { ids: Array.isArray(value) ? value.map(String) : [], requestId };
    },
    idOf: ({ id }) => id,
    counter: async (signal) => {
      const held = new Set<string>();
      const how = { priority: 'upload' as const, group, signal };
      const reading = { client, datasetId: datasetId(), pageRows: options.pageRows, options: how };
      for await (const { items } of readItems(reading)) for (const item of items) held.add(idOf(item));
      return async (items) => items.filter(({ id }) => held.has(id)).length;
    },
    added: () => onDatasetChanged(datasetId()),
  };
}

function experimentTarget(
  { client, onExperimentChanged }: ItemJobsDeps,
  ledger: ItemsLedger,
  experimentId: string,
): ItemTarget {
  const group = `results ${ledger.id}`;
  const path = { experiment_id: experimentId };
  const timestamp = new Date(ledger.stored.createdAtMs).toISOString();
  return {
    bodyOf: (items) => `{"results":[${items.map(({ json }) => resultText(json, timestamp)).join(',')}]}`,
    send: async (bodyText, signal) => {
      const how = { priority: 'upload', group, signal, isOnce: true } as const;
      const { requestId } = await client.call('experiments.add-results', { path, bodyText }, how);
      return { ids: null, requestId };
    },
    idOf: (item) => sentOf(item).id,
    counter: async (signal) => async (items) => {
      let found = 0;
      for (let from = 0; from < items.length; from += IDS_A_QUERY) {
        const sent = items.slice(from, from + IDS_A_QUERY).map(sentOf);
        const value = sent.map(({ id }) => id);
        const rules = [{ field: 'experiment_item_id', operator: 'in', value }];
        const answer = await client.list(
          'experiments.results',
          {
            path,
            query: { filter: JSON.stringify({ condition: 'AND', rules }) },
            paging: { limit: IDS_A_QUERY, offset: 0 },
          },
          { priority: 'upload', group, signal },
        );
        const held = new Map(answer.value.items.map(readResult).map((result) => [result.itemId, result]));
        found += sent.filter((each) => isHeld(each, held.get(each.id))).length;
      }
      return found;
    },
    added: () => onExperimentChanged(experimentId),
  };
}

/**
 * `scores`: the scores added to a result that already existed, whose id alone is no evidence; null for a new result.
 */
interface SentResult {
  id: string;
  scores: readonly ResultScore[] | null;
}

function sentOf({ id, json }: ExtractedItem): SentResult {
  const fields = fieldsOf(json);
  const own = ownIdOf(fields);
  return own === null
    ? { id, scores: null }
    : { id: own, scores: readResult(resultOfItem(fields, '')).scores };
}

function isHeld({ scores }: SentResult, held: ExperimentResult | undefined): boolean {
  if (held === undefined) return false;
  const keyOf = ({ evaluator, name, value, label }: ResultScore) =>
    JSON.stringify([evaluator, name, value, label]);
  const there = new Set(held.scores.map(keyOf));
  return scores === null || scores.every((score) => there.has(keyOf(score)));
}

function fieldsOf(json: string): Record<string, unknown> {
  // The cast is safe, because the file was converted to objects before.
  return parseExact(json) as Record<string, unknown>;
}

const resultText = (json: string, timestamp: string): string =>
  writeExact(resultOfItem(fieldsOf(json), timestamp));

/** Moves rows that are not results of an experiment to the bad rows. */
export function withoutUnfit({ experiment }: ItemsPlan, cut: ExtractedItems): ExtractedItems {
  if (experiment === undefined) return cut;
  const items: ExtractedItem[] = [];
  const bad = [...cut.bad];
  for (const item of cut.items) {
    const problem = resultProblem(fieldsOf(item.json), experiment.id);
    if (problem === null) items.push(item);
    else bad.push({ row: item.row, line: item.line, ...problem });
  }
  return { ...cut, items, bad };
}
