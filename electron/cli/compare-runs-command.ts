/**
 * `experiments compare A B [C D]` and `scores compare`: runs over one dataset side by side; --output writes every item
 * that passes the filter.
 */
import { resolve } from 'node:path';
import type { Comparisons } from '../datasets/types.ts';
import { AppError } from '../shared/errors.ts';
import {
  agreementText,
  clusterText,
  figureText,
  measureSentence,
  percentText,
  ratesText,
  repetitionsText,
  verdictSentence,
} from '../shared/figure-words.ts';
import { judgedShareText } from '../shared/judged-share.ts';
import {
  type ComparedItem,
  type ComparedRun,
  type ComparedSeries,
  evaluatorsText,
  isOneOfMany,
  isSameRun,
  leftOutText,
  MAX_COMPARED_RUNS,
  NO_FILTER,
  type RunFilter,
  type RunRef,
  type RunsComparison,
  type RunsQuery,
  type ScoreShape,
  testsOf,
  titlesOf,
} from '../shared/run-comparison.ts';
import type { RunsUsage, RunUsage } from '../shared/run-usage.ts';
import type { SqlColumn, SqlPage } from '../shared/sql-model.ts';
import { usageCoverage, usageSentence } from '../shared/usage-words.ts';
import { writeWhole } from '../uploads/whole-file-writer.ts';
import type { CommandContext } from './context.ts';
import { counted, numberText } from './human-text.ts';
import { table } from './output.ts';
import { csvText, fileFormat, jsonLines } from './row-files.ts';
import { didYouMean } from './suggestions.ts';

const FORMATS = ['csv', 'jsonl'] as const;
const PAGE_ROWS = 500;
/** Items printed without --limit; a file gets all of them. */
const PRINTED_ROWS = 20;

export const COMPARE_FLAGS = [
  ...['baseline', 'score', 'evaluator', 'worse', 'better', 'label', 'words', 'state', 'lower-is-better'],
  ...['limit', 'offset', 'output', 'exact'],
];

/** The typed names of runs of one kind. */
interface TypedRuns {
  given: readonly string[];
  /** Plural of the kind: `experiments`, `score runs`. */
  what: string;
  /** Finds a run. Throws INVALID_ARGUMENT or NOT_FOUND. */
  runOf: (typed: string) => Promise<RunRef>;
}

export async function compareRuns(context: CommandContext, typed: TypedRuns): Promise<void> {
  const { args, output } = context;
  const { given, what, runOf } = typed;
  if (given.length < 2 || given.length > MAX_COMPARED_RUNS)
    throw new AppError('INVALID_ARGUMENT', `compare expects two to four ${what}, got ${given.length}.`);
  const path = args.text('output');
  const textOf =
    path === null ? null : fileFormat(path, FORMATS) === 'csv' ? csvText(args.flag('exact')) : jsonLines;
  const runs: RunRef[] = [];
  for (const name of given) runs.push(await runOf(name));
  const { comparisons } = (await context.session()).datasets;
  const query: RunsQuery = {
    runs,
    baseline: await baselineOf(context, typed, runs),
    ...{ score: null, lowerIsBetter: args.flag('lower-is-better'), filter: filterOf(context) },
    ...{ hasShape: false, offset: args.wholeNumber('offset', 0) ?? 0, limit: 0 },
  };
  const { scores } = await comparisons.compare(query);
  const chosen = { ...query, score: scoreOf(context, scores) };
  const wanted = args.wholeNumber('limit', 1) ?? PRINTED_ROWS;
  const limit = Math.min(PAGE_ROWS, wanted);
  if (wanted > limit)
    output.note(`Prints at most ${PAGE_ROWS} items, got --limit ${wanted}; --output writes all of them.`);
  // Computed first, so that the items get the figures of their traces.
  const usage = await comparisons.usage({ runs, baseline: query.baseline });
  const { rows, total, ...summary } = await comparisons.compare({ ...chosen, hasShape: true, limit });
  checkLabel(args.text('label'), summary.labels);
  const file = path === null ? null : resolve(path);
  if (file !== null && textOf !== null) await writeWhole(file, textsOf(comparisons, chosen, textOf));
  for (const { name, isComplete, items } of summary.runs)
    if (!isComplete)
      output.note(`${name}: only ${counted(items, 'item')} could be read; the rest is missing.`);
  const evaluator = args.text('evaluator');
  const told = summary.scores.filter(
    ({ evaluators }) => evaluator === null || evaluators.includes(evaluator),
  );
  for (const series of told) {
    const different = evaluatorsText(series, summary.runs);
    if (different !== '') output.note(`${series.key} is of different evaluators: ${different}.`);
  }
  const baseline = summary.runs[query.baseline]?.name ?? '';
  const about = { baseline: query.baseline, tests: testsOf(summary.scores) };
  const titles = titlesOf(summary.runs);
  const shapes: { run: string; shape: ScoreShape | null }[] = [];
  for (const [run, name] of titles.entries()) {
    if (run === query.baseline) continue;
    const own = { ...chosen, hasShape: true, offset: 0, filter: { ...NO_FILTER, run } };
    shapes.push({ run: name, shape: (await comparisons.compare(own)).shape });
  }
  output.answer(
    { ...summary, scores: told, usage: usage.runs, shapes, baseline, items: rows, total, file },
    () => [
      ...summary.runs.map((run, at) => runText(run, at === query.baseline)),
      ...[...told, ...summary.measures].flatMap((series) => seriesTexts(series, summary.runs, about)),
      ...usageTexts(usage, titles),
      `${summary.score ?? 'No score'}: ${countsText(summary)}.`,
      ...shapes.flatMap((each) => shapeTexts(each, summary.score, shapes.length > 1)),
      ...(shapes[0]?.shape?.judged ?? []).map(
        ({ run, share }) => `${summary.score}, ${titles[run]}: ${judgedShareText(share)}`,
      ),
      ...(shapes[0]?.shape?.repetitions ?? []).map(
        ({ run, repetitions }) => `${summary.score}, ${titles[run]}: ${repetitionsText(repetitions)}`,
      ),
      ...(file === null ? [] : [`${counted(total, 'item')}: ${file}`]),
      '',
      ...table(
        rows.map((row) => readable(row, summary.runs)),
        ['item', 'input', ...titlesOf(summary.runs)],
      ).split('\n'),
      `${numberText(rows.length)} of ${numberText(total)}`,
    ],
  );
}

async function baselineOf(
  context: CommandContext,
  { given, what, runOf }: TypedRuns,
  runs: readonly RunRef[],
): Promise<number> {
  const typed = context.args.text('baseline');
  if (typed === null) return 0;
  if (given.includes(typed)) return given.indexOf(typed);
  const named = await runOf(typed);
  const at = runs.findIndex((run) => isSameRun(run, named));
  if (at >= 0) return at;
  throw new AppError(
    'INVALID_ARGUMENT',
    `--baseline expects one of the compared ${what}, got ${typed}.${didYouMean(typed, given)}`,
  );
}

function scoreOf({ args }: CommandContext, scores: readonly ComparedSeries[]): string | null {
  const [typed, evaluator] = [args.text('score'), args.text('evaluator')];
  const own = scores.filter(({ evaluators }) => evaluator === null || evaluators.includes(evaluator));
  const names = scores.flatMap(({ evaluators }) => evaluators);
  if (evaluator !== null && own.length === 0)
    throw new AppError(
      'INVALID_ARGUMENT',
      `--evaluator expects one of ${[...new Set(names)].join(', ') || 'none'}, got ${evaluator}.${didYouMean(evaluator, names)}`,
    );
  if (typed === null) return own[0]?.key ?? null;
  if (own.some(({ key }) => key === typed)) return typed;
  const keys = own.map(({ key }) => key);
  throw new AppError(
    'INVALID_ARGUMENT',
    `--score expects one of ${keys.join(', ') || 'none'}, got ${typed}.${didYouMean(typed, keys)}`,
  );
}

/** Throws INVALID_ARGUMENT for a label that the score does not have. */
function checkLabel(label: string | null, labels: readonly string[]): void {
  if (label === null || labels.includes(label)) return;
  throw new AppError(
    'INVALID_ARGUMENT',
    `--label expects one of ${labels.join(', ') || 'none'}, got ${label}.${didYouMean(label, labels)}`,
  );
}

function filterOf({ args }: CommandContext): RunFilter {
  const [worse, better] = [args.text('worse'), args.text('better')];
  if (worse !== null && better !== null)
    throw new AppError('INVALID_ARGUMENT', 'Give --worse or --better, not both.');
  const least = worse ?? better;
  const size = least === null ? null : Number(least);
  if (size !== null && (!Number.isFinite(size) || size < 0 || least?.trim() === ''))
    throw new AppError(
      'INVALID_ARGUMENT',
      `--${worse === null ? 'better' : 'worse'} expects the minimum difference, such as 0.2, or 0 for any; got ${least}.`,
    );
  return {
    ...NO_FILTER,
    change: worse !== null ? 'worse' : better !== null ? 'better' : null,
    atLeast: size === null || size === 0 ? null : size,
    label: args.text('label'),
    words: args.text('words') ?? '',
    fate: stateOf(args.text('state')),
  };
}

const STATES = { scored: 'good', failed: 'failed', skipped: 'skipped', open: 'unscored' } as const;

function stateOf(typed: string | null): RunFilter['fate'] {
  if (typed === null) return null;
  const names = Object.keys(STATES);
  const state = Object.entries(STATES).find(([name]) => name === typed)?.[1];
  if (state !== undefined) return state;
  throw new AppError(
    'INVALID_ARGUMENT',
    `--state expects one of ${names.join(', ')}, got ${typed}.${didYouMean(typed, names)}`,
  );
}

function runText(run: ComparedRun, isBaseline: boolean): string {
  const { name, items, repetitions, results, shared, onlyHere, onlyBaseline } = run;
  const parts = [
    counted(items, 'item'),
    ...(repetitions > 1 ? [`up to ${numberText(repetitions)} results per item, averaged`] : []),
    ...(['failed', 'skipped'] as const).flatMap((fate) =>
      results[fate] > 0 ? [`${numberText(results[fate])} ${fate}`] : [],
    ),
    ...(isBaseline ? ['baseline'] : [`${numberText(shared)} shared with the baseline`]),
    ...(onlyHere > 0 ? [`${numberText(onlyHere)} only here`] : []),
    ...(onlyBaseline > 0 ? [`${numberText(onlyBaseline)} missing`] : []),
  ];
  return `${name}: ${parts.join(', ')}.`;
}

/** One line for each compared run; only the difference for numbers that have no better direction. */
function seriesTexts(
  { key, runs }: ComparedSeries,
  names: readonly ComparedRun[],
  { baseline, tests }: { baseline: number; tests: number },
): string[] {
  return runs.flatMap((run, at) => {
    if (run === null || run.figures === null || at === baseline) return [];
    const { figures, adjusted } = run;
    const before =
      figures.before === null ? '' : `${figureText({ ...figures, label: null }, figures.before)} to `;
    const isMeasure = adjusted === null && figures.difference !== null;
    const said = isMeasure ? measureSentence(figures) : verdictSentence(figures);
    const p =
      adjusted === null
        ? ''
        : ` p = ${adjusted.toPrecision(2)}, adjusted for all scores and runs (Benjamini and Hochberg).`;
    const chance = isOneOfMany(run, tests)
      ? ` It may be chance: one of ${numberText(tests)} comparisons.`
      : '';
    const head = `${key}, ${names[at]?.name ?? ''}: ${before}${figureText(figures, figures.after)}.`;
    return [[head, said].filter((text) => text !== '').join(' ') + p + chance, clusterText(figures)].filter(
      (text) => text !== '',
    );
  });
}

/** Texts about the traces of runs; runs that name no trace are left out. */
export function usageTexts({ runs }: RunsUsage, names: readonly string[]): string[] {
  return runs.flatMap((usage, at) =>
    usage.named === 0
      ? []
      : [
          `Traces of ${names[at] ?? ''}: ${usageCoverage(usage)}`,
          ...usage.sums.map((sum) => `  ${usageSentence(sum)}`),
          ...(usage.pathByType.length === 0 ? [] : [`  Critical path by type of span: ${pathText(usage)}.`]),
        ],
  );
}

function pathText({ pathByType }: RunUsage): string {
  const all = pathByType.reduce((sum, { ms }) => sum + ms, 0);
  return pathByType
    .map(
      ({ type, ms }) =>
        `${type === null ? 'between spans' : type || 'no type'} ${percentText(all === 0 ? 0 : ms / all, 1)} %`,
    )
    .join(', ');
}

function countsText({
  counts,
  failed,
  skipped,
  unscored,
}: Pick<RunsComparison, 'counts' | 'failed' | 'skipped' | 'unscored'>): string {
  const states = { 'failed in a run': failed, 'skipped in a run': skipped, 'not done in a run': unscored };
  const named = { ...counts, ...states };
  return sumsOf(named);
}

/**
 * Agreement, changes of labels and failure kinds of a run compared with the baseline. The run is named if there are
 * several.
 */
function shapeTexts(
  { run, shape }: { run: string; shape: ScoreShape | null },
  score: string | null,
  isOneOfSeveral: boolean,
): string[] {
  if (shape === null) return [];
  const head = isOneOfSeveral ? `${run}: ` : '';
  const { agreement, labels, failureKinds } = shape;
  const pairs = labels.map(({ before, after, items }) => `${before} to ${after} ${numberText(items)}`);
  return [
    ...(agreement === null ? [] : [`${head}${agreementText(agreement)} ${ratesText(agreement)}`]),
    ...(pairs.length === 0 ? [] : [`${head}Labels of ${score}: ${pairs.join(', ')}.`]),
    ...failureKinds.map(({ name, counts }) => `${head}Failure kind ${name}: ${sumsOf(counts)}.`),
  ];
}

const sumsOf = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${numberText(count)} ${name}`)
    .join(', ');

const scoreText = ({ value, label, fate }: NonNullable<ComparedItem['sides'][number]>) =>
  label ?? value ?? (fate === 'good' ? '–' : fate);

function readable({ itemId, title, sides }: ComparedItem, runs: readonly ComparedRun[]) {
  const scores = titlesOf(runs).map((name, at) => {
    const side = sides[at] ?? null;
    if (side === null) return [name, '–'];
    const { difference } = side;
    const change =
      difference === null || difference === 0
        ? ''
        : ` (${difference > 0 ? '+' : ''}${numberText(difference)})`;
    const spread = side.deviation ? ` ± ${numberText(side.deviation)}` : '';
    const leftOut = side.leftOut === undefined ? '' : `, ${leftOutText(side.leftOut, side.results)}`;
    return [name, `${scoreText(side)}${spread}${change}${leftOut}`];
  });
  return { item: itemId, input: title, ...Object.fromEntries(scores) };
}

/** Yields the text of one page after the other. */
async function* textsOf(
  comparisons: Comparisons,
  query: RunsQuery,
  textOf: (page: SqlPage) => string,
): AsyncGenerator<string> {
  const { runs } = await comparisons.compare(query);
  yield textOf({ columns: columnsOf(runs), rows: [] });
  for (let offset = 0; ; offset += PAGE_ROWS) {
    const { rows } = await comparisons.compare({ ...query, offset, limit: PAGE_ROWS });
    if (rows.length === 0) return;
    yield textOf({ columns: columnsOf(runs), rows: rows.map(lineOf) });
  }
}

const figuresIn = <T extends object>(names: T) => Object.keys(names) as (keyof T)[];
const SIDE = ['value', 'label', 'difference', 'change', 'status', 'duration_ms', 'output'] as const;
const LEFT_OUT = 'results_left_out';

/** Columns for the figures of the traces behind the results of an item, in order. */
const USED = { tokens: 'tokens', costUsd: 'cost_usd', pathMs: 'path_ms' } as const;

const columnsOf = (runs: readonly ComparedRun[]): SqlColumn[] => [
  { name: 'item_id', type: 'VARCHAR' },
  { name: 'input', type: 'VARCHAR' },
  ...titlesOf(runs).flatMap((name) =>
    SIDE.map((field) => ({
      name: `${name} ${field}`,
      type: ['value', 'difference', 'duration_ms'].includes(field) ? 'DOUBLE' : 'VARCHAR',
    })),
  ),
  ...[...titlesOf(runs).map((name) => `${name} reasoning`), 'failure_kind'].map((name) => ({
    ...{ name, type: 'VARCHAR' },
  })),
  ...titlesOf(runs).flatMap((name) =>
    Object.values(USED).map((field) => ({ name: `${name} ${field}`, type: 'DOUBLE' })),
  ),
  ...titlesOf(runs).map((name) => ({ name: `${name} ${LEFT_OUT}`, type: 'DOUBLE' })),
];

function lineOf({ itemId, title, failureKind, sides }: ComparedItem): unknown[] {
  return [
    ...[itemId, title],
    ...sides.flatMap((side) => {
      if (side === null) return SIDE.map(() => null);
      const { value, label, difference, change, fate, durationMs, output } = side;
      return [value, label, difference, change, fate, durationMs, output];
    }),
    ...sides.map((side) => side?.reasoning ?? null),
    failureKind,
    ...sides.flatMap((side) => figuresIn(USED).map((figure) => side?.usage?.[figure] ?? null)),
    ...sides.map((side) => (side === null ? null : (side.leftOut ?? 0))),
  ];
}
