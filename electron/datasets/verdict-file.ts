/**
 * Writes the decisions of a review as results of an experiment, with `Human` as the evaluator (SERVICE.md F10.2): one line
 * for each item of the dataset that was made from a reviewed span. JSON Lines, as the upload of results reads them.
 */
import { attributesOf, mapSpan } from '../core/spans/span-mapping.ts';
import { writeExact } from '../shared/exact-json.ts';
import type { Review } from '../shared/review-fold.ts';
import { decisionOf } from '../shared/second-review.ts';
import { type BuildFileDeps, eachSpan } from './build-files.ts';
import type { BuildLedger } from './build-ledger.ts';
import { itemsOf } from './item-traces.ts';
import { parseRecord } from './span-item.ts';
import type { VerdictCounts } from './types.ts';

const EVALUATOR = 'Human';

type Mark = NonNullable<ReturnType<Review['marks']['get']>>;

/** Writes the file atomically. A skipped span is a skipped result without scores. */
export async function writeVerdictFile(
  deps: BuildFileDeps,
  ledger: BuildLedger,
  { marks, kinds }: Review,
  datasetId: string,
  path: string,
): Promise<VerdictCounts> {
  const counts = { rows: 0, undecided: 0, withoutItem: 0 };
  const names = new Map(kinds.map(({ kindId, name }) => [kindId, name]));
  const items = await itemsOf(deps.store, deps.clock, datasetId);
  async function* lines(): AsyncGenerator<string> {
    for await (const span of eachSpan(deps, ledger.id, { states: null, shapeIds: null })) {
      const mark = marks.get(span.position);
      if (mark === undefined) continue;
      if (mark.verdict === null) {
        counts.undecided += 1;
        continue;
      }
      const itemId = items.get(`${span.traceId} ${span.spanId}`);
      if (itemId === undefined) {
        counts.withoutItem += 1;
        continue;
      }
      counts.rows += 1;
      const record = parseRecord(deps.store.spans.records(ledger.id, [span.position]).get(span.position));
      const { expected_outputs: outputs } =
        record === null
          ? { expected_outputs: {} }
          : mapSpan(attributesOf(record), ledger.stored.mapping).item;
      const kind = mark.kindId === null ? null : (names.get(mark.kindId) ?? null);
      yield `${writeExact(resultOf(itemId, outputs, mark, kind))}\n`;
    }
  }
  await deps.writeFile(path, lines());
  return counts;
}

function resultOf(itemId: string, outputs: unknown, { verdict, note, atMs }: Mark, kind: string | null) {
  const decision = decisionOf(verdict);
  const reasoning = note === '' ? null : note;
  const own = { evaluator_name: EVALUATOR, label: null, value: null, reasoning: null };
  return {
    dataset_item_id: itemId,
    outputs,
    status: decision === null ? 'SKIPPED' : 'SUCCESS',
    timestamp: new Date(atMs).toISOString(),
    scores:
      decision === null
        ? []
        : [
            { ...own, name: 'good', value: decision === 'good' ? 1 : 0, reasoning },
            ...(kind === null ? [] : [{ ...own, name: 'failure_kind', label: kind }]),
          ],
  };
}
