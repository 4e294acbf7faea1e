/** `scores compare BEFORE AFTER`: compares two score runs of one dataset item by item; --output writes every item. */
import { resolve } from 'node:path';
import type { Scores } from '../datasets/types.ts';
import { AppError } from '../shared/errors.ts';
import { agreementText, clusterText, ratesText, verdictSentence } from '../shared/figure-words.ts';
import {
  type ChangeCounts,
  type ComparedScore,
  type ComparisonQuery,
  SCORE_CHANGES,
  type ScoreComparison,
} from '../shared/score-comparison.ts';
import type { ScoreRun } from '../shared/score-model.ts';
import type { SqlColumn, SqlPage } from '../shared/sql-model.ts';
import { writeWhole } from '../uploads/whole-file-writer.ts';
import { byId } from './choose.ts';
import type { CommandContext } from './context.ts';
import { counted, numberText } from './human-text.ts';
import { table } from './output.ts';
import { csvText, fileFormat, jsonLines } from './row-files.ts';

const FORMATS = ['csv', 'jsonl'] as const;
const PAGE_ROWS = 500;
/** Number of items printed; a file has all of them. */
const PRINTED_ROWS = 20;

const COLUMNS: SqlColumn[] = [
  ...['item_id', 'change'].map((name) => ({ name, type: 'VARCHAR' })),
  ...['before', 'after', 'difference'].map((name) => ({ name, type: 'DOUBLE' })),
  ...['label_before', 'label_after', 'reasoning_before', 'reasoning_after', 'failure_kind'].map((name) => ({
    name,
    type: 'VARCHAR',
  })),
];

export async function compareScores(context: CommandContext, scores: Scores): Promise<void> {
  const { args, output } = context;
  const [, before, after, ...more] = args.positionals;
  if (before === undefined || after === undefined || more.length > 0) {
    throw new AppError('INVALID_ARGUMENT', 'scores compare expects the ids of two runs: BEFORE AFTER.');
  }
  const all = scores.list(null);
  const choice = { all, idOf: ({ runId }: ScoreRun) => runId, what: 'score run' };
  const idOf = (typed: string) => byId(context, typed, choice).runId;
  const path = args.text('output');
  const textOf =
    path === null ? null : fileFormat(path, FORMATS) === 'csv' ? csvText(args.flag('exact')) : jsonLines;
  const query: ComparisonQuery = {
    ...{ before: idOf(before), after: idOf(after) },
    ...{ name: args.text('score'), lowerIsBetter: args.flag('lower-is-better'), show: null, only: null },
    ...{ offset: 0, limit: PRINTED_ROWS },
  };
  const { rows, total, ...summary } = await scores.compare(query);
  const file = path === null ? null : resolve(path);
  if (file !== null && textOf !== null) {
    await writeWhole(file, textsOf(scores, { ...query, name: summary.name }, textOf));
  }
  output.answer({ ...summary, items: rows, total, file }, () => {
    const { name, counts, means, labels, failureKinds, figures, all, agreement } = summary;
    const pairs = labels.map((pair) => `${pair.before} to ${pair.after} ${numberText(pair.items)}`);
    return [
      `${name}: ${sumsOf(counts)}.`,
      ...(means === null
        ? []
        : [`Mean of ${counted(means.items, 'item')}: ${means.before} before, ${means.after} after.`]),
      ...(figures === null
        ? []
        : [verdictSentence(figures), clusterText(figures)].filter((text) => text !== '')),
      ...(agreement === null ? [] : [`${agreementText(agreement)} ${ratesText(agreement)}`]),
      ...otherScores(all, name),
      ...(pairs.length === 0 ? [] : [`Labels: ${pairs.join(', ')}.`]),
      ...failureKinds.map((kind) => `Failure kind ${kind.name}: ${sumsOf(kind.counts)}.`),
      ...(file === null ? [] : [`${counted(total, 'item')}: ${file}`]),
      '',
      ...table(rows.map(readable), ['item', 'change', 'before', 'after', 'difference', 'failureKind']).split(
        '\n',
      ),
    ];
  });
}

/** The verdicts of the scores that are not shown. */
const otherScores = (all: ScoreComparison['all'], shown: string): string[] =>
  all
    .filter(({ name }) => name !== shown)
    .map(({ name, figures, adjusted }) => {
      const chance =
        adjusted === null
          ? ''
          : ` p = ${adjusted.toPrecision(2)}, adjusted for ${counted(all.length, 'score')} (Benjamini and Hochberg).`;
      return `${name}: ${verdictSentence(figures)}${chance}`;
    });

const sumsOf = (counts: ChangeCounts): string =>
  SCORE_CHANGES.filter((change) => counts[change] > 0)
    .map((change) => `${numberText(counts[change])} ${change}`)
    .join(', ');

/** Yields page after page. */
async function* textsOf(
  scores: Scores,
  query: ComparisonQuery,
  textOf: (page: SqlPage) => string,
): AsyncGenerator<string> {
  yield textOf({ columns: COLUMNS, rows: [] });
  for (let offset = 0; ; offset += PAGE_ROWS) {
    const { rows } = await scores.compare({ ...query, offset, limit: PAGE_ROWS });
    if (rows.length === 0) return;
    yield textOf({ columns: COLUMNS, rows: rows.map(lineOf) });
  }
}

function lineOf({ itemId, change, before, after, difference, failureKind }: ComparedScore): unknown[] {
  return [
    ...[itemId, change, before?.value, after?.value, difference, before?.label, after?.label],
    ...[before?.reasoning, after?.reasoning, failureKind],
  ].map((cell) => cell ?? null);
}

function readable({ itemId, change, before, after, difference, failureKind }: ComparedScore) {
  return {
    ...{ item: itemId, change },
    before: before?.label ?? before?.value ?? '',
    after: after?.label ?? after?.value ?? '',
    ...{ difference: difference ?? '', failureKind: failureKind ?? '' },
  };
}
