/**
 * Writes the decisions of a review as results of an experiment, with `Human` as the evaluator (SERVICE.md F10.2), as
 * JSON Lines that can be uploaded. There is one line for each item of the dataset that was made from a reviewed span.
 * For an existing experiment, there is one line for each of its results whose output was judged, and the upload adds
 * the verdict to it.
 */
import { attributesOf, mapSpan } from '../core/spans/span-mapping.ts';
import type { Mapping } from '../shared/dataset-model.ts';
import { writeExact } from '../shared/exact-json.ts';
import { type ExperimentResult, mainText, readResult } from '../shared/experiment-result.ts';
import { HUMAN, HUMAN_SCORE } from '../shared/judged-share.ts';
import type { Review } from '../shared/review-fold.ts';
import { decisionOf } from '../shared/second-review.ts';
import type { VerdictCounts } from '../shared/verdict-counts.ts';
import { type BuildFileDeps, eachSpan } from './build-files.ts';
import type { BuildLedger } from './build-ledger.ts';
import { itemsOf } from './item-traces.ts';
import { sameResult } from './score-results-file.ts';
import { resultsMissing } from './score-runner.ts';
import { parseRecord } from './span-item.ts';
import type { DatasetsDeps } from './types.ts';

const VERDICT = 'verdict';

type VerdictDeps = BuildFileDeps & Pick<DatasetsDeps, 'readResultsHere'>;

type Mark = NonNullable<ReturnType<Review['marks']['get']>>;

interface VerdictTarget {
  datasetId: string;
  experiment: Experiment | undefined;
}

/** Writes the file atomically. A skipped span becomes a skipped result without scores. */
export async function writeVerdictFile(
  deps: VerdictDeps,
  ledger: BuildLedger,
  review: Review,
  target: VerdictTarget,
  path: string,
): Promise<VerdictCounts> {
  const counts = noCounts();
  await deps.writeFile(path, await verdictLines(deps, ledger, review, target, counts));
  return counts;
}

/** Counts as `writeVerdictFile` does, without writing anything. */
export async function countVerdicts(
  deps: VerdictDeps,
  ledger: BuildLedger,
  review: Review,
  target: VerdictTarget,
): Promise<VerdictCounts> {
  const counts = noCounts();
  const lines = await verdictLines(deps, ledger, review, target, counts);
  for (let next = await lines.next(); next.done !== true; ) next = await lines.next();
  return counts;
}

const noCounts = (): VerdictCounts => ({
  ...{ rows: 0, undecided: 0, withoutItem: 0, rejectedWithoutItem: 0, withoutOutputs: 0, withoutResult: 0 },
  ...{ alreadyThere: 0, judgedOtherwise: 0 },
});

async function verdictLines(
  deps: VerdictDeps,
  ledger: BuildLedger,
  { marks, kinds }: Review,
  { datasetId, experiment }: VerdictTarget,
  counts: VerdictCounts,
): Promise<AsyncGenerator<string>> {
  const names = new Map(kinds.map(({ kindId, name }) => [kindId, name]));
  const items = await itemsOf(deps.store, deps.clock, datasetId);
  const results =
    experiment === undefined ? null : await resultsOf(deps, experiment, new Set(items.values()));
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
      const record = parseRecord(deps.store.spans.records(ledger.id, [span.position]).get(span.position));
      const outputs = outputsOf(record, ledger.stored.mapping);
      const kind = mark.kindId === null ? null : (names.get(mark.kindId) ?? null);
      const line = resultOf(itemId, outputs, mark, kind);
      if (results === null) {
        counts.rows += 1;
        if (Object.keys(outputs).length === 0) counts.withoutOutputs += 1;
        yield `${writeExact(line)}\n`;
        continue;
      }
      if (line.scores.length === 0) {
        counts.undecided += 1;
        continue;
      }
      // A verdict on another output does not apply to this result.
      const judged = (results.get(itemId) ?? []).filter((result) => isSameOutput(result.outputs, outputs));
      if (judged.length === 0) counts.withoutResult += 1;
      for (const result of judged) {
        const there = verdictIn(result.scores, line.scores);
        if (there !== null) {
          counts[there] += 1;
          continue;
        }
        counts.rows += 1;
        yield `${writeExact({ experiment_id: experiment?.id, ...sameResult(result), scores: line.scores })}\n`;
      }
    }
  }
  return lines();
}

/**
 * Whether a result already has this verdict of a person, or another one; null if it has none. A second verdict is not
 * added, because it would be unclear which one counts.
 */
function verdictIn(
  there: ExperimentResult['scores'],
  scores: readonly { name: string; label: string | null }[],
): 'alreadyThere' | 'judgedOtherwise' | null {
  const verdicts = there.filter(({ evaluator, name }) => evaluator === HUMAN && name === VERDICT);
  if (verdicts.length === 0) return null;
  const own = scores.find(({ name }) => name === VERDICT)?.label;
  return verdicts.some(({ label }) => label === own) ? 'alreadyThere' : 'judgedOtherwise';
}

type Experiment = { id: string; name: string };

/** The results by item. */
async function resultsOf(
  { readResultsHere }: VerdictDeps,
  { id, name }: Experiment,
  itemIds: ReadonlySet<string>,
): Promise<Map<string, ExperimentResult[]>> {
  const stored = readResultsHere(id);
  if (stored === null) throw resultsMissing(name);
  const found = new Map<string, ExperimentResult[]>();
  for await (const records of stored)
    for (const result of records.map(readResult)) {
      const { datasetItemId, itemId } = result;
      if (itemId === '' || !itemIds.has(datasetItemId)) continue;
      found.set(datasetItemId, [...(found.get(datasetItemId) ?? []), result]);
    }
  return found;
}

/** Compares the main texts only, because a run may have further outputs, such as token counts. */
function isSameOutput(one: ExperimentResult['outputs'], other: Record<string, unknown>): boolean {
  const text = mainText(one).trim();
  return text !== '' && text === mainText(other).trim();
}

/** The output that was judged: the mapped expected outputs if the span has them, otherwise its own output. */
function outputsOf(record: Record<string, unknown> | null, mapping: Mapping): Record<string, unknown> {
  if (record === null) return {};
  const { expected_outputs: mapped } = mapSpan(attributesOf(record), mapping).item;
  if (Object.keys(mapped).length > 0) return mapped;
  const output = record['output'];
  return output === undefined || output === null || output === '' ? {} : { output };
}

function resultOf(itemId: string, outputs: unknown, { verdict, note, atMs }: Mark, kind: string | null) {
  const decision = decisionOf(verdict);
  const reasoning = note === '' ? null : note;
  const own = { evaluator_name: HUMAN, label: null, value: null, reasoning: null };
  return {
    dataset_item_id: itemId,
    outputs,
    status: decision === null ? 'SKIPPED' : 'SUCCESS',
    timestamp: new Date(atMs).toISOString(),
    scores:
      decision === null
        ? []
        : [
            // An edited output had to be replaced, so its value is 0.
            { ...own, name: HUMAN_SCORE, value: verdict === 'accepted' ? 1 : 0, reasoning },
            { ...own, name: VERDICT, label: verdict },
            ...(kind === null ? [] : [{ ...own, name: 'failure_kind', label: kind }]),
          ],
  };
}
