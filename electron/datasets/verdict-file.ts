/**
 * Writes the decisions of a review as results of an experiment, with `Human` as the evaluator (SERVICE.md F10.2): one line
 * for each item of the dataset that was made from a reviewed span. JSON Lines, as the upload of results reads them.
 */
import { attributesOf, mapSpan } from '../core/spans/span-mapping.ts';
import { counted } from '../shared/count-text.ts';
import type { Mapping } from '../shared/dataset-model.ts';
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
  const counts = { rows: 0, undecided: 0, withoutItem: 0, rejectedWithoutItem: 0, withoutOutputs: 0 };
  const names = new Map(kinds.map(({ kindId, name }) => [kindId, name]));
  const items = await itemsOf(deps.store, deps.clock, datasetId);
  async function* lines(): AsyncGenerator<string> {
    for await (const span of eachSpan(deps, ledger.id, { states: null, shapeIds: null })) {
      const mark = marks.get(span.position);
      if (mark === undefined || mark.verdict === null) {
        counts.undecided += 1;
        continue;
      }
      const itemId = items.get(`${span.traceId} ${span.spanId}`);
      if (itemId === undefined) {
        counts.withoutItem += 1;
        if (mark.verdict === 'rejected') counts.rejectedWithoutItem += 1;
        continue;
      }
      counts.rows += 1;
      const record = parseRecord(deps.store.spans.records(ledger.id, [span.position]).get(span.position));
      const outputs = outputsOf(record, ledger.stored.mapping);
      if (Object.keys(outputs).length === 0) counts.withoutOutputs += 1;
      const kind = mark.kindId === null ? null : (names.get(mark.kindId) ?? null);
      yield `${writeExact(resultOf(itemId, outputs, mark, kind))}\n`;
    }
  }
  await deps.writeFile(path, lines());
  return counts;
}

/** The output that was judged: the mapped expected outputs as the span has them, else its own output. */
function outputsOf(record: Record<string, unknown> | null, mapping: Mapping): Record<string, unknown> {
  if (record === null) return {};
  const { expected_outputs: mapped } = mapSpan(attributesOf(record), mapping).item;
  if (Object.keys(mapped).length > 0) return mapped;
  const output = record['output'];
  return output === undefined || output === null || output === '' ? {} : { output };
}

/** Sentences about what a file of verdicts lacks. */
export function verdictNotes(counts: VerdictCounts): string[] {
  const { undecided, withoutItem, rejectedWithoutItem: rejected, withoutOutputs } = counts;
  const ofRejected = rejected > 0 ? `, ${rejected} of them rejected, which raises the share of good` : '';
  return [
    ...(undecided > 0 ? [`${counted(undecided, 'span')} without a verdict.`] : []),
    ...(withoutItem > 0
      ? [`${counted(withoutItem, 'span')} without an item in the dataset${ofRejected}.`]
      : []),
    ...(withoutOutputs > 0 ? [`${counted(withoutOutputs, 'line')} without outputs.`] : []),
  ];
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
            // The output of an edited span had to be replaced.
            { ...own, name: 'good', value: verdict === 'accepted' ? 1 : 0, reasoning },
            { ...own, name: 'verdict', label: verdict },
            ...(kind === null ? [] : [{ ...own, name: 'failure_kind', label: kind }]),
          ],
  };
}
