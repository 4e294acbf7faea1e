/**
 * Checks after the last call whether the dataset contains what was sent. Always compares counts, and on request the
 * items themselves.
 */

import { bucketsOf, firstDifference } from '../core/spans/span-mapping.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import { counted, numberText } from '../shared/count-text.ts';
import type { BuildCheck } from '../shared/dataset-model.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { BuildLedger } from './build-ledger.ts';
import { type ItemRecord, idOf, readItems, sourceOf } from './read-items.ts';
import { readItem } from './span-item.ts';
import { callOptions, readItemCount } from './target-dataset.ts';
import type { DatasetOptions, DatasetsDeps } from './types.ts';

type CheckDeps = Pick<DatasetsDeps, 'store' | 'client' | 'clock' | 'logger'> & {
  options: Pick<DatasetOptions, 'pageRows'>;
};

const MAX_DIFFERENCES = 20;
const SLICE = 500;

/** Compares the number of items with the earlier count plus the items acknowledged since. Never rejects. */
export async function checkCount(deps: CheckDeps, ledger: BuildLedger, signal: AbortSignal): Promise<void> {
  const { datasetId, baseline } = ledger.stored;
  if (datasetId === null) return;
  try {
    const after = await readItemCount(deps, ledger, datasetId, signal);
    ledger.apply([], { check: countCheck(ledger, baseline?.items ?? null, after, deps.clock.nowMs()) });
  } catch (problem) {
    deps.logger.warn('items not counted', { build: ledger.id, reason: toAppError(problem).message });
  }
}

function countCheck(
  ledger: BuildLedger,
  itemsBefore: number | null,
  { items: itemsAfter, fields }: Awaited<ReturnType<typeof readItemCount>>,
  atMs: number,
): BuildCheck {
  const expectedAdded = ledger.core.tallies.acknowledged;
  const isKnown = itemsBefore !== null && itemsAfter !== null;
  const added = isKnown ? itemsAfter - itemsBefore : null;
  const fact =
    added === null || itemsBefore === null || itemsAfter === null
      ? 'The service did not say how many items there were before and are now.'
      : `The dataset had ${counted(itemsBefore, 'item')} and has ${numberText(itemsAfter)} now: ${numberText(added)} more, ${numberText(expectedAdded)} acknowledged.`;
  const unfilled = ledger.stored.mapping
    .map(({ bucket, field }) => `${bucket}.${field}`)
    .filter((field) => expectedAdded > 0 && fields?.has(field) === false);
  return {
    atMs,
    itemsBefore,
    itemsAfter,
    expectedAdded,
    comparedItems: 0,
    equalItems: 0,
    differences: [],
    verdict: added === null ? 'undecided' : added === expectedAdded ? 'count-agrees' : 'differs',
    facts: [
      fact,
      ...(added !== null && added !== expectedAdded
        ? ['Others may have added or removed items in the same time.']
        : []),
      ...(unfilled.length > 0 ? [`No item of the dataset has ${unfilled.join(', ')}.`] : []),
    ],
    ...(unfilled.length > 0 ? { unfilled } : {}),
  };
}

interface Tally {
  /** Number of items of this build without any field. */
  empty: number;
  compared: number;
  equal: number;
  differences: string[];
}

/** Reads back every item and compares those of this build with their preview. Throws AppError. */
export async function verify(deps: CheckDeps, ledger: BuildLedger, signal: AbortSignal): Promise<void> {
  const { datasetId, baseline } = ledger.stored;
  if (datasetId === null) {
    throw new AppError(
      'INVALID_ARGUMENT',
      'Nothing of this build was sent yet, so there is nothing to compare.',
    );
  }
  const after = await readItemCount(deps, ledger, datasetId, signal);
  const places = await placesOf(deps, ledger);
  const tally: Tally = { empty: 0, compared: 0, equal: 0, differences: [] };
  const slicer = new TimeSlicer(deps.clock);
  const reading = {
    client: deps.client,
    datasetId,
    pageRows: deps.options.pageRows,
    options: callOptions(ledger, signal),
  };
  for await (const { items } of readItems(reading)) {
    for (const item of items) {
      compareItem(deps, ledger, places, item, tally);
      await slicer.pause();
    }
  }
  const missing = places.byItem.size + places.bySpan.size;
  ledger.apply([], {
    check: withItems(countCheck(ledger, baseline?.items ?? null, after, deps.clock.nowMs()), tally, missing),
  });
}

/** Positions of acknowledged spans whose item was not found yet. */
interface Places {
  byItem: Map<string, number>;
  /** Positions of spans whose item id is unknown, by span. */
  bySpan: Map<string, number>;
}

async function placesOf({ store, clock }: CheckDeps, ledger: BuildLedger): Promise<Places> {
  const places: Places = { byItem: new Map(), bySpan: new Map() };
  const slicer = new TimeSlicer(clock);
  const filter = { states: ['acknowledged'], shapeIds: null } as const;
  for (let from = 0; ; ) {
    const spans = store.spans.after(ledger.id, filter, from, SLICE);
    for (const { itemId, spanId, position } of spans) {
      if (itemId === null) places.bySpan.set(spanId, position);
      else places.byItem.set(itemId, position);
    }
    const last = spans.at(-1);
    if (last === undefined || spans.length < SLICE) return places;
    from = last.position + 1;
    await slicer.pause();
  }
}

function compareItem(
  { store }: CheckDeps,
  ledger: BuildLedger,
  { byItem, bySpan }: Places,
  item: ItemRecord,
  tally: Tally,
): void {
  const [id, source] = [idOf(item), sourceOf(item)];
  const position = byItem.get(id) ?? (source === null ? undefined : bySpan.get(source));
  if (position === undefined) return;
  if (!byItem.delete(id) && source !== null) bySpan.delete(source);
  if (Object.values(bucketsOf(item)).every((bucket) => Object.keys(bucket).length === 0)) tally.empty += 1;
  const expected = readItem({ store }, ledger, position);
  if (expected === null) return;
  tally.compared += 1;
  const difference = firstDifference(expected, bucketsOf(item));
  if (difference === null) tally.equal += 1;
  else if (tally.differences.length < MAX_DIFFERENCES) {
    tally.differences.push(`Item ${id}: ${difference} is not as in the preview.`);
  }
}

function withItems(
  check: BuildCheck,
  { empty, compared, equal, differences }: Tally,
  missing: number,
): BuildCheck {
  const blind = check.expectedAdded - missing - compared;
  const facts = [
    ...check.facts,
    `Read back ${counted(compared, 'item')} and compared with the preview: ${numberText(equal)} equal.`,
    ...(blind > 0
      ? [`Could not compare ${counted(blind, 'item')}: only the ids of the spans are stored here.`]
      : []),
    ...(empty > 0 ? [`Without any field: ${counted(empty, 'item')}.`] : []),
    ...(missing > 0 ? [`Found no item for ${counted(missing, 'acknowledged span')}.`] : []),
  ];
  const isEqual = missing === 0 && equal === compared && compared === check.expectedAdded;
  const verdict = isEqual ? 'equal' : missing > 0 || equal < compared ? 'differs' : check.verdict;
  const empties = empty > 0 ? { emptyItems: empty } : {};
  return { ...check, comparedItems: compared, equalItems: equal, differences, verdict, facts, ...empties };
}
