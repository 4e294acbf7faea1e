/** Scores of dataset items: inputs of evaluators, columns beside the items, and texts. Pure. */
import { readResult } from '../../electron/shared/experiment-result.ts';
import type { ScoreShape } from '../../electron/shared/run-comparison.ts';
import {
  type ChangeCounts,
  SCORE_CHANGES,
  type ScoreChange,
} from '../../electron/shared/score-comparison.ts';
import type {
  ScoreBucket,
  ScoreInput,
  ScoreResult,
  ScoreRun,
  ScoreValue,
} from '../../electron/shared/score-model.ts';
import { BUCKETS } from './column-guess.ts';
import type { CountSum } from './count-words.ts';
import { formatCount, formatNumber } from './format.ts';
import type { Column, Row } from './grid/columns.ts';
import type { JsonObject } from './records.ts';

/** Inputs of most evaluators (SERVICE.md F3.4), used if an evaluator does not name its own. */
const USUAL_INPUTS = ['prompt', 'response', 'context'];

/** Names of the inputs of an evaluator; the usual ones if it names none. */
export function inputsOf(evaluator: JsonObject | null): string[] {
  const named = evaluator?.['inputs'];
  const texts = Array.isArray(named) ? named.filter((name): name is string => typeof name === 'string') : [];
  return texts.length > 0 ? texts : USUAL_INPUTS;
}

/** Separates bucket and field in the key of an item field; neither can contain it. */
const DIVIDER = '\u001f';
export const TEXT = 'text';
export const NOTHING = '';

/** How fields of experiment results are named in choices. */
const OUTPUTS = { field: 'outputs', title: 'Outputs' } as const;

/** Fields of experiment results by bucket, found in some of the rows. */
export function fieldsOfResults(rows: readonly JsonObject[]): Map<string, string[]> {
  const found = new Map<string, Set<string>>();
  for (const row of rows) {
    const { outputs, inputs, expectedOutputs } = readResult(row);
    for (const [bucket, fields] of [
      ['outputs', outputs],
      ['inputs', inputs],
      ['expected_outputs', expectedOutputs],
    ] as const)
      found.set(bucket, new Set([...(found.get(bucket) ?? []), ...Object.keys(fields ?? {})]));
  }
  return new Map([...found].map(([bucket, names]) => [bucket, [...names]]));
}

export interface FieldChoice {
  value: string;
  title: string;
}

/** Fields of the items as choices: `Inputs: question`. */
export function fieldChoices(keys: ReadonlyMap<string, readonly string[]>): FieldChoice[] {
  return [OUTPUTS, ...BUCKETS].flatMap(({ field: bucket, title }) =>
    (keys.get(bucket) ?? []).map((field) => ({
      value: `${bucket}${DIVIDER}${field}`,
      title: `${title}: ${field}`,
    })),
  );
}

export interface DraftInput {
  input: string;
  /** A choice of `fieldChoices`, `TEXT`, or `NOTHING`. */
  from: string;
  text: string;
}

/** The inputs for a run; inputs without a source are omitted. */
export function toInputs(drafts: readonly DraftInput[]): ScoreInput[] {
  return drafts.flatMap(({ input, from, text }): ScoreInput[] => {
    if (from === NOTHING || input.trim() === '') return [];
    if (from === TEXT) return [{ input, from: { kind: 'text', text } }];
    const [bucket = '', field = ''] = from.split(DIVIDER);
    return [{ input, from: { kind: 'field', bucket: bucket as ScoreBucket, field } }];
  });
}

/** Words in field names that suggest an input, and the buckets to search; both in order of preference. */
const HINTS: Readonly<Record<string, { words: readonly string[]; buckets: readonly ScoreBucket[] }>> = {
  prompt: { words: ['prompt', 'question', 'query', 'input'], buckets: ['inputs'] },
  response: {
    words: ['response', 'answer', 'output', 'completion'],
    buckets: ['outputs', 'expected_outputs', 'extras', 'inputs'],
  },
  context: { words: ['context', 'document', 'passage', 'source'], buckets: ['inputs', 'extras', 'metadata'] },
  text: {
    words: ['answer', 'response', 'output', 'text', 'question'],
    buckets: ['outputs', 'expected_outputs', 'inputs'],
  },
};

/** The field that most likely provides an input; `NOTHING` if no name suggests one. */
export function suggestField(input: string, choices: readonly FieldChoice[]): string {
  const hint = HINTS[input.toLowerCase()] ?? {
    words: [input.toLowerCase()],
    buckets: BUCKETS.map(({ field }) => field),
  };
  for (const bucket of hint.buckets) {
    const own = choices.filter(({ value }) => value.startsWith(`${bucket}${DIVIDER}`));
    for (const word of hint.words) {
      const found = own.find(({ value }) => (value.split(DIVIDER)[1] ?? '').toLowerCase().includes(word));
      if (found !== undefined) return found.value;
    }
  }
  return NOTHING;
}

/** The label if there is one, otherwise the number: `yes`, `0.0123`. */
function scoreText({ value, label }: Pick<ScoreValue, 'value' | 'label'>): string | number | null {
  return label ?? value;
}

/** Columns with the latest scores of each evaluator. `of`: returns the results of an item. */
export function scoreColumns(
  runs: readonly ScoreRun[],
  of: (itemId: string) => readonly ScoreResult[],
  stamp: (run: ScoreRun) => string,
): Column[] {
  const latest = new Map<string, ScoreRun>();
  const runsOf = Map.groupBy(runs, ({ plan }) => plan.evaluator);
  for (const run of runs) if (!latest.has(run.plan.evaluator)) latest.set(run.plan.evaluator, run);
  return [...latest.values()].flatMap((run) => {
    const { evaluator } = run.plan;
    const runCount = runsOf.get(evaluator)?.length ?? 1;
    const names = run.scoreNames.length > 0 ? run.scoreNames : [''];
    return names.map((name): Column => {
      const get = (row: Row) => {
        const result = of(String(row['id'])).find((each) => each.evaluator === evaluator);
        if (result === undefined || result.state === 'unscored') return undefined;
        if (result.state !== 'scored') return result.state;
        const score = result.scores.find((each) => each.name === name);
        return score === undefined ? null : scoreText(score);
      };
      return {
        id: `score.${evaluator}.${name}`,
        title: name === '' ? evaluator : name,
        kind: 'text',
        width: Math.max(110, name.length * 7 + 44),
        get,
        // With several runs, each item shows its latest score, so no single time is true of all.
        group: `${evaluator} · ${runCount > 1 ? `latest of ${runCount} runs` : stamp(run)}`,
        sortField: null,
      };
    });
  });
}

export const CHANGE_WORDS: Readonly<Record<ScoreChange, string>> = {
  worse: 'Worse',
  better: 'Better',
  changed: 'Another label',
  same: 'Same',
  missing: 'Not in both',
};

/** Choices for the changes that occur, and for the shown one: `Worse 12`. */
export function changeSums(
  counts: ChangeCounts,
  shown: ScoreChange | null = null,
): { value: ScoreChange; title: string }[] {
  return SCORE_CHANGES.filter((change) => counts[change] > 0 || change === shown).map((change) => ({
    value: change,
    title: `${CHANGE_WORDS[change]} ${formatNumber(counts[change])}`,
  }));
}

/** Columns with counts of failure kinds. A score that has only labels is neither better nor worse. */
export function kindColumns(kinds: ScoreShape['failureKinds']): { change: ScoreChange; title: string }[] {
  const rare: readonly ScoreChange[] = ['changed', 'missing'];
  const isThere = (change: ScoreChange) => kinds.some(({ counts }) => counts[change] > 0);
  return SCORE_CHANGES.filter((change) => !rare.includes(change) || isThere(change)).map((change) => ({
    change,
    title: CHANGE_WORDS[change],
  }));
}

/** Labels of a square table, if there are few; null if the pairs are better shown as a list. */
export function labelSquare(pairs: ScoreShape['labels']): string[] | null {
  const labels = [
    ...new Set(pairs.flatMap(({ before, after }) => (before === null ? [after] : [before, after]))),
  ];
  return labels.length > MAX_SQUARE ? null : labels;
}
const MAX_SQUARE = 3;

export const RUN_WORDS: Readonly<Record<ScoreRun['state'], string>> = {
  reading: 'Reading items',
  running: 'Scoring',
  waiting: 'Waiting',
  paused: 'Paused',
  stopped: 'Stopped',
  done: 'Done',
};

/** `48 of 50 items scored · 2 failed`; once all items are finished `641 scored · 609 without the field`. */
export function runCounts({
  counts,
  plan,
  nothingExpected = 0,
}: Pick<ScoreRun, 'counts' | 'plan' | 'nothingExpected'>): string {
  const scored = formatNumber(counts.scored);
  const isWhole = counts.unscored === 0 && counts.items > counts.scored;
  const parts = [isWhole ? `${scored} scored` : `${scored} of ${formatCount(counts.items, 'item')} scored`];
  const fields = plan.inputs.filter(({ from }) => from.kind === 'field').length;
  const lacking = counts.skipped - nothingExpected;
  if (lacking > 0) parts.push(`${formatNumber(lacking)} without ${fields > 1 ? 'a field' : 'the field'}`);
  if (nothingExpected > 0) parts.push(`${formatNumber(nothingExpected)} ${NOTHING_EXPECTED}`);
  if (counts.failed > 0) parts.push(`${formatNumber(counts.failed)} failed`);
  return parts.join(' · ');
}

const NOTHING_EXPECTED = 'with nothing expected';

/** The items of a run by outcome, as parts of a bar. */
export function runSum({
  counts,
  nothingExpected = 0,
}: Pick<ScoreRun, 'counts' | 'nothingExpected'>): CountSum {
  return {
    ...{ whole: counts.items, noun: 'item', wholeWord: 'items' },
    parts: [
      { look: 'acknowledged', word: 'scored', meaning: 'They have a score.', count: counts.scored },
      {
        look: 'rejected',
        word: 'without the field',
        meaning: 'They lack a field that the evaluator is to be given, and were not asked for.',
        count: counts.skipped - nothingExpected,
      },
      {
        look: 'rejected',
        word: NOTHING_EXPECTED,
        meaning: 'Their expected value is empty, so there is nothing to compare with.',
        count: nothingExpected,
      },
      {
        look: 'refused',
        word: 'failed',
        meaning: 'They were asked for and got no score.',
        count: counts.failed,
      },
      { look: 'unsent', word: 'open', meaning: 'They are still to be scored.', count: counts.unscored },
    ],
  };
}

/** Tooltip of a run with its evaluator and inputs: `answer_relevance: prompt from question, response from answer`. */
export function runTip({ plan }: Pick<ScoreRun, 'plan'>): string {
  const inputs = plan.inputs.map(({ input, from }) =>
    from.kind === 'field' ? `${input} from ${from.field}` : `${input}: the same text`,
  );
  return `${plan.evaluator}: ${inputs.join(', ')}`;
}

/** Scores as a record, to be inspected beside its item. */
export function inspectScores(results: readonly ScoreResult[], stamp: (ms: number) => string): JsonObject[] {
  return results
    .filter(({ state }) => state !== 'unscored')
    .map(({ evaluator, state, scores, error, atMs }) => ({
      evaluator,
      scored: atMs === null ? null : stamp(atMs),
      ...(state === 'scored' ? {} : { [state]: error?.message ?? 'no reason given' }),
      ...Object.fromEntries(
        scores.map(({ name, value, label, reasoning }) => [
          name,
          {
            ...(value === null ? {} : { value }),
            ...(label === null ? {} : { label }),
            ...(reasoning === null ? {} : { reasoning }),
          },
        ]),
      ),
    }));
}
