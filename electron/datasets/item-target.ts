/** The target of the rows of a file: a dataset that gets items, or an experiment that gets results. */
import { resultOfItem, resultProblem } from '../core/items/result-of-item.ts';
import { parseExact, writeExact } from '../shared/exact-json.ts';
import { readResult } from '../shared/experiment-result.ts';
import type { ExtractedItem, ExtractedItems, ItemsPlan } from '../shared/items-model.ts';
import type { ItemsLedger } from './items-ledger.ts';
import { idOf, readItems } from './read-items.ts';
import type { ItemJobsDeps } from './types.ts';

export interface ItemTarget {
  /** The body of one request. */
  bodyOf(items: readonly ExtractedItem[]): string;
  /** Sends it once. `ids`: those that the service chose, in the order of the items; null if it keeps ours. */
  send(bodyText: string, signal: AbortSignal): Promise<{ ids: string[] | null; requestId: string }>;
  /** Reads back what is there, and counts which of some ids are. */
  counter(signal: AbortSignal): Promise<(ids: readonly string[]) => Promise<number>>;
  /** Some were added: stored data is outdated. */
  added(): void;
}

/** Ids in one filter: the address of a request has bounds. */
const IDS_A_QUERY = 50;

export function targetOf(deps: ItemJobsDeps, ledger: ItemsLedger): ItemTarget {
  const { experiment } = ledger.stored.plan;
  return experiment === undefined
    ? datasetTarget(deps, ledger)
    : experimentTarget(deps, ledger, experiment.id);
}

function datasetTarget({ client, options, onDatasetChanged }: ItemJobsDeps, ledger: ItemsLedger): ItemTarget {
  const group = `items ${ledger.id}`;
  /** The dataset is created before anything is sent. */
  const datasetId = () => ledger.datasetId ?? '';
  return {
    bodyOf: (items) => `{"items":[${items.map(({ json }) => json).join(',')}]}`,
    send: async (bodyText, signal) => {
      const { value, requestId } = await client.call(
        'datasets.add-items',
        { path: { dataset_id: datasetId() }, bodyText },
        { priority: 'upload', group, signal, isOnce: true },
      );
      return { ids: Array.isArray(value) ? value.map(String) : null, requestId };
    },
    counter: async (signal) => {
      const held = new Set<string>();
      const how = { priority: 'upload' as const, group, signal };
      const reading = { client, datasetId: datasetId(), pageRows: options.pageRows, options: how };
      for await (const { items } of readItems(reading)) for (const item of items) held.add(idOf(item));
      return async (ids) => ids.filter((id) => held.has(id)).length;
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
    counter: async (signal) => async (ids) => {
      let found = 0;
      for (let from = 0; from < ids.length; from += IDS_A_QUERY) {
        const value = ids.slice(from, from + IDS_A_QUERY);
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
        const wanted = new Set(value);
        found += new Set(
          answer.value.items.map((item) => readResult(item).itemId).filter((id) => wanted.has(id)),
        ).size;
      }
      return found;
    },
    added: () => onExperimentChanged(experimentId),
  };
}

function fieldsOf(json: string): Record<string, unknown> {
  // Safe cast: written by the reader of the file as an object.
  return parseExact(json) as Record<string, unknown>;
}

const resultText = (json: string, timestamp: string): string =>
  writeExact(resultOfItem(fieldsOf(json), timestamp));

/** Moves rows that are no results of an experiment to the bad ones. */
export function withoutUnfit({ experiment }: ItemsPlan, cut: ExtractedItems): ExtractedItems {
  if (experiment === undefined) return cut;
  const items: ExtractedItem[] = [];
  const bad = [...cut.bad];
  for (const item of cut.items) {
    const problem = resultProblem(fieldsOf(item.json));
    if (problem === null) items.push(item);
    else bad.push({ row: item.row, line: item.line, ...problem });
  }
  return { ...cut, items, bad };
}
