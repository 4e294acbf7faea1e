/** The two sides of a gate: score runs on this computer, experiments, or files of scores that `export scores` wrote. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { RunsMatch } from '../core/items/compare-runs.ts';
import { type RunColumns, RunColumnsBuilder } from '../core/items/run-columns.ts';
import { AppError, fromWire } from '../shared/errors.ts';
import { isRawNumber, parseExact } from '../shared/exact-json.ts';
import type { Freshness } from '../shared/model.ts';
import { whole } from '../shared/pieces.ts';
import { type ComparedSeries, NO_FILTER, type RunRef } from '../shared/run-comparison.ts';
import type { ChangeCounts, ScoreFigures } from '../shared/score-comparison.ts';
import type { ScoreRun, ScoreValue } from '../shared/score-model.ts';
import * as z from '../shared/zod.ts';
import { byId } from './choose.ts';
import type { CommandContext } from './context.ts';
import { numberText } from './human-text.ts';
import { readExperiment } from './read-experiment.ts';
import { asOf } from './read-library.ts';
import { isIdOrStart } from './suggestions.ts';

/** A score of the earlier side. */
export interface GateScore {
  name: string;
  figures: ScoreFigures | null;
  counts: ChangeCounts;
}

/** Matches a path, or a name with a file extension; a name such as `Rules 2.1` has none. */
const FILE_SIGNS = /[/\\]|\.[a-z]+$/i;

const number = z.preprocess(
  (value) => (isRawNumber(value) ? Number(value) : value),
  z.number().nullable().default(null),
);
const text = z.string().nullable().default(null);
const scoreLine = z.object({
  item_id: z.union([z.string(), z.number()]).transform(String),
  scores: z.record(z.string(), z.object({ value: number, label: text, reasoning: text })),
  trace_id: text,
});

interface ScoreFile {
  scores: FileScores;
  /** The trace of each item that was made from a span, by item id. */
  traces: ReadonlyMap<string, string>;
}
type FileScores = ReadonlyMap<string, Readonly<Record<string, ScoreValue>>>;

/**
 * The scores of both sides. `names`: only these scores; empty: all scores of the earlier side. Throws INVALID_ARGUMENT,
 * NOT_FOUND, FILE_* errors, and GATE_EMPTY for an experiment that was not read completely.
 */
export async function gateScores(
  context: CommandContext,
  [before, after]: readonly [string, string],
  { names, lowerIsBetter }: { names: readonly string[]; lowerIsBetter: boolean },
): Promise<GateScore[]> {
  const areFiles = [before, after].map((side) => FILE_SIGNS.test(side));
  if (areFiles[0] !== areFiles[1])
    throw new AppError(
      'INVALID_ARGUMENT',
      'gate expects two score runs, two experiments or two files, got one of each.',
    );
  if (areFiles[0] === true) {
    const [earlier, later] = [await readScoreFile(before), await readScoreFile(after)];
    const traces = new Map([...earlier.traces, ...later.traces]);
    return scoresOfFiles(earlier.scores, later.scores, { names, lowerIsBetter, traces });
  }
  const { scores } = (await context.session()).datasets;
  const isScoreRun = (typed: string) => scores.list(null).some(({ runId }) => isIdOrStart(runId, typed));
  return isScoreRun(before) || isScoreRun(after)
    ? scoresOfRuns(context, [before, after], names, lowerIsBetter)
    : scoresOfExperiments(context, [before, after], names, lowerIsBetter);
}

async function scoresOfExperiments(
  context: CommandContext,
  given: readonly [string, string],
  names: readonly string[],
  lowerIsBetter: boolean,
): Promise<GateScore[]> {
  const runs: RunRef[] = [];
  for (const typed of given) {
    const { id, results } = await readExperiment(context, typed);
    if (!results.isComplete) throw notWhole(typed, results);
    checkNew(context, typed, results);
    runs.push({ kind: 'experiment', id });
  }
  return scoresOfStored(context, runs, names, lowerIsBetter);
}

/**
 * Throws the failure of reading if the results are stored ones although --offline is absent, because the exit code would
 * decide about a release by scores that may have changed.
 */
function checkNew({ args }: CommandContext, typed: string, results: Freshness): void {
  if (args.isOffline || results.refresh.phase !== 'failed') return;
  const { code, message, details } = fromWire(results.refresh.error);
  const nextStep = `${details.nextStep ?? ''} --offline decides by what is stored.`.trim();
  const text = `${message} The results of ${typed} are not new: they were stored as of ${asOf(results)}. Nothing was decided.`;
  throw new AppError(code, text, { ...details, nextStep });
}

async function scoresOfStored(
  context: CommandContext,
  runs: RunRef[],
  names: readonly string[],
  lowerIsBetter: boolean,
): Promise<GateScore[]> {
  const { comparisons } = (await context.session()).datasets;
  const { scores, items } = await comparisons.compare({
    ...{ runs, baseline: 0, score: null, lowerIsBetter, filter: NO_FILTER },
    ...{ hasShape: false, offset: 0, limit: 0 },
  });
  const earlier = scores.filter(({ runs: [own] }) => own != null).map(({ key }) => key);
  return gateScoresOf(scores, items, chosen(names, earlier));
}

/**
 * Scores of the items of both sides (`items`). A score that only the earlier side has, or that has neither numbers nor
 * labels, counts as missing for each item.
 */
function gateScoresOf(
  scores: readonly ComparedSeries[],
  items: number,
  names: readonly string[],
): GateScore[] {
  return names.map((name): GateScore => {
    const [before, after] = scores.find(({ key }) => key === name)?.runs ?? [];
    const own = before == null ? null : (after ?? null);
    const counts = own?.counts ?? { ...NO_CHANGES, missing: items };
    return { name, figures: own?.figures ?? null, counts };
  });
}
const NO_CHANGES: ChangeCounts = { worse: 0, better: 0, changed: 0, same: 0, missing: 0 };

/**
 * The error for results that are incomplete, because a decision on a part of them would look like a decision on all.
 */
function notWhole(typed: string, { storedRows, totalRows }: Freshness): AppError {
  const all = totalRows === null ? 'all' : `all ${numberText(totalRows)}`;
  return new AppError(
    'GATE_EMPTY',
    `Expected ${all} results of ${typed}, got ${numberText(storedRows)}. Read them online first.`,
  );
}

async function scoresOfRuns(
  context: CommandContext,
  [before, after]: readonly [string, string],
  names: readonly string[],
  lowerIsBetter: boolean,
): Promise<GateScore[]> {
  const { scores } = (await context.session()).datasets;
  const choice = { all: scores.list(null), idOf: ({ runId }: ScoreRun) => runId, what: 'score run' };
  const idOf = (typed: string) => byId(context, typed, { ...choice, listedBy: 'scores' }).runId;
  const runs = [before, after].map((typed): RunRef => ({ kind: 'scores', id: idOf(typed) }));
  return scoresOfStored(context, runs, names, lowerIsBetter);
}

/** Scores from files; items of the same trace count together. */
export function scoresOfFiles(
  before: FileScores,
  after: FileScores,
  {
    names,
    lowerIsBetter,
    traces,
  }: { names: readonly string[]; lowerIsBetter: boolean; traces: ReadonlyMap<string, string> },
): GateScore[] {
  // Items in the order of the earlier file, because the order decides the random samples for an interval.
  const ids = [...new Set([...before.keys(), ...after.keys()])];
  const match = new RunsMatch([columnsOf(before, ids), columnsOf(after, ids)], {
    baseline: 0,
    clusterOf: traces.size === 0 ? null : (itemId) => traces.get(itemId) ?? null,
  });
  const earlier = new Set([...before.values()].flatMap((scores) => Object.keys(scores)));
  return gateScoresOf(whole(match.scores(lowerIsBetter)), ids.length, chosen(names, [...earlier]));
}

function columnsOf(side: FileScores, ids: readonly string[]): RunColumns {
  const builder = new RunColumnsBuilder({ isDistinct: true });
  for (const [position, itemId] of ids.entries()) {
    const scores = Object.values(side.get(itemId) ?? {}).map((score) => ({ evaluator: '', ...score }));
    builder.add({ itemId, position, fate: 'good', durationMs: null, scores });
  }
  return builder.finish();
}

/**
 * The named scores, or all scores of the earlier side. Throws INVALID_ARGUMENT for a name that the earlier side does
 * not have.
 */
function chosen(names: readonly string[], earlier: readonly string[]): readonly string[] {
  const missing = names.filter((name) => !earlier.includes(name));
  if (missing.length === 0) return names.length === 0 ? earlier : names;
  throw new AppError(
    'INVALID_ARGUMENT',
    `--score expects a score of BEFORE, got ${missing.join(', ')}. It has ${earlier.join(', ') || 'none'}.`,
  );
}

/** Reads a file of scores. Throws FILE_NOT_FOUND, FILE_UNREADABLE, and FILE_MALFORMED with the line. */
async function readScoreFile(path: string): Promise<ScoreFile> {
  const found = new Map<string, Readonly<Record<string, ScoreValue>>>();
  const traces = new Map<string, string>();
  let line = 0;
  try {
    for await (const typed of createInterface({
      input: createReadStream(path),
      crlfDelay: Number.POSITIVE_INFINITY,
    })) {
      line += 1;
      if (typed.trim() === '') continue;
      const {
        item_id: itemId,
        scores,
        trace_id: trace,
      } = scoreLine.parse(parseExact(line === 1 ? typed.replace(/^\ufeff/, '') : typed));
      if (found.has(itemId)) throw new Error(`the item ${itemId} is there twice`);
      const named = Object.entries(scores).map(([name, score]) => [name, { name, ...score }] as const);
      found.set(itemId, Object.fromEntries(named));
      if (trace !== null) traces.set(itemId, trace);
    }
  } catch (problem) {
    throw fileError(path, line, problem);
  }
  return { scores: found, traces };
}

function fileError(path: string, line: number, problem: unknown): AppError {
  const code = problem instanceof Error && 'code' in problem ? problem.code : null;
  if (code === 'ENOENT')
    return new AppError('FILE_NOT_FOUND', `Expected a file ${path}, got none. Check its name.`, {}, problem);
  if (typeof code === 'string')
    return new AppError('FILE_UNREADABLE', `${path} cannot be read (${code}).`, {}, problem);
  const what =
    problem instanceof z.ZodError ? 'its fields differ' : problem instanceof Error ? problem.message : '';
  return new AppError(
    'FILE_MALFORMED',
    `${path}, line ${line}: expected {"item_id": …, "scores": {NAME: {"value": …}}} as export scores writes it to a .jsonl file, each item once; ${what}.`,
    { line },
    problem,
  );
}
