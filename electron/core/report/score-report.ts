/** Computes the figures of two compared score runs, as the window shows them. Pure. */
import { counted } from '../../shared/count-text.ts';
import {
  agreementText,
  binText,
  clusterText,
  differenceText,
  figureText,
  intervalText,
  ratesText,
  verdictWords,
} from '../../shared/figure-words.ts';
import type { Pieces } from '../../shared/pieces.ts';
import type { ReportCell, ReportFigure, ReportRules, ReportTable } from '../../shared/report-model.ts';
import type { ScoreShape } from '../../shared/run-comparison.ts';
import {
  type ChangeCounts,
  SCORE_CHANGES,
  type ScoreAgreement,
  type ScoreChange,
  type ScoreFigures,
} from '../../shared/score-comparison.ts';
import { RunsMatch } from '../items/compare-runs.ts';
import { type RunColumns, RunColumnsBuilder } from '../items/run-columns.ts';
import { columnOf, countOf, type Derived, derivedColumn, numberOf, tableOf, textOf } from './table-reads.ts';

/** Columns that the figures need. */
const NEEDED = ['position', 'before', 'after', 'label_before', 'label_after', 'trace'] as const;
const PIECE = 2_000;

type Columns = Record<(typeof NEEDED)[number], readonly ReportCell[]>;

export function* scoreReport(tables: readonly ReportTable[], rules: ReportRules): Pieces<Derived> {
  const items = tableOf(tables, 'items');
  const columns = items === undefined ? null : neededOf(items);
  if (items === undefined || columns === null) return { figures: [], charts: [] };
  const kinds = columnOf(items, 'failure_kind');
  const lowerIsBetter = rules['lowerIsBetter'] === true;
  // The order of the rows matters, because it determines the samples from which an interval is computed.
  const order = [...columns.position.keys()].sort(
    (one, other) => countOf(columns.position[one]) - countOf(columns.position[other]),
  );
  const sides: RunColumns[] = [];
  for (const side of ['before', 'after'] as const) {
    sides.push(columnsOf(order, columns[side], columns[`label_${side}`]));
    yield;
  }
  const clusterOf = (row: string) => textOf(columns.trace[Number(row)]) || null;
  const match = new RunsMatch(sides, { baseline: 0, clusterOf });
  const kindOf = new Map(order.map((row) => [String(row), textOf(kinds?.[row])]));
  const compared = yield* comparedWith(match, lowerIsBetter, {
    isOfSameTexts: rules['isOfSameTexts'] === true,
    kinds: new Map([...kindOf].filter(([, name]) => name !== '')),
  });
  return {
    figures: figuresOf(compared),
    charts: chartsOf(compared.shape),
    tables: tables.map((table) => (table === items ? withChanges(items, columns, compared.changes) : table)),
  };
}

interface Compared {
  /** Null if no item has a number in both runs. */
  figures: ScoreFigures | null;
  counts: ChangeCounts;
  shape: ScoreShape;
  /** The change of each row. */
  changes: readonly ScoreChange[];
}

function* comparedWith(
  match: RunsMatch,
  lowerIsBetter: boolean,
  rules: Parameters<RunsMatch['shape']>[3],
): Pieces<Compared> {
  const changes: ScoreChange[] = match.itemIds.map(() => 'missing');
  const counts = { worse: 0, better: 0, changed: 0, same: 0, missing: match.itemIds.length };
  const [series] = yield* match.scores(lowerIsBetter);
  if (series === undefined)
    return {
      figures: null,
      counts,
      shape: { bins: [], labels: [], agreement: null, judged: [], repetitions: [], failureKinds: [] },
      changes,
    };
  for (const [item, row] of match.itemIds.entries()) {
    const change = match.changeAt(series.key, lowerIsBetter, 1, item) ?? 'missing';
    changes[Number(row)] = change;
    counts.missing -= 1;
    counts[change] += 1;
    if (item % PIECE === PIECE - 1) yield;
  }
  const [before, after] = series.runs;
  return {
    figures: before == null ? null : (after?.figures ?? null),
    ...{ counts, shape: match.shape(series.key, lowerIsBetter, 1, rules), changes },
  };
}

/** Null if a column was not chosen or is masked. */
function neededOf(table: ReportTable): Columns | null {
  const found = NEEDED.map((name) => columnOf(table, name));
  const [position, before, after, labelBefore, labelAfter, trace] = found;
  if (!position || !before || !after || !labelBefore || !labelAfter || !trace) return null;
  // A number that a browser would change is stored as a text.
  if ([position, before, after].some((cells) => cells.some((cell) => typeof cell === 'string'))) return null;
  return { position, before, after, label_before: labelBefore, label_after: labelAfter, trace };
}

/** The scores of one run, with the rows in this order. */
function columnsOf(
  order: readonly number[],
  values: readonly ReportCell[],
  labels: readonly ReportCell[],
): RunColumns {
  const builder = new RunColumnsBuilder({ isDistinct: true });
  for (const [position, row] of order.entries()) {
    const score = { value: numberOf(values[row]), label: textOf(labels[row]) || null };
    builder.add({
      ...{ itemId: String(row), position, fate: 'good', durationMs: null },
      scores: [{ evaluator: '', name: 'score', ...score }],
    });
  }
  return builder.finish();
}

/** Adds derived columns before the numbers: the change of each item, and the difference of its numbers. */
function withChanges(
  table: ReportTable,
  { before, after }: Columns,
  changes: readonly ScoreChange[],
): ReportTable {
  const differences = changes.map((_, row): ReportCell => {
    const [from, to] = [numberOf(before[row]), numberOf(after[row])];
    return from === null || to === null ? null : to - from;
  });
  const derived = [
    derivedColumn('change', 'Change', 'text', changes),
    derivedColumn('difference', 'Difference', 'number', differences),
  ];
  const place = table.columns.findIndex(({ name }) => name === 'before');
  return { ...table, columns: table.columns.toSpliced(place, 0, ...derived) };
}

function figuresOf({ counts, figures, shape: { agreement } }: Compared): ReportFigure[] {
  const words = figures === null ? null : verdictWords(figures);
  const sides = (['before', 'after'] as const).flatMap((side): ReportFigure[] => {
    const own = figures?.[side] ?? null;
    if (figures === null || own === null) return [];
    const range = intervalText(figures, own);
    return [
      {
        label: side === 'before' ? 'Before' : 'After',
        value: figureText(figures, own),
        detail: `${counted(own.items, 'item')}${range === '' ? '' : `, 95 % sure: ${range}`}`,
      },
    ];
  });
  const probability = figures?.difference?.probability ?? null;
  const clusters = figures?.clusters ?? null;
  return [
    ...(words === null ? [] : [{ label: 'Result', value: words.head, detail: words.detail }]),
    ...sides,
    ...(probability === null ? [] : [{ label: 'p-value', value: differenceText(probability), detail: '' }]),
    ...(figures === null || clusters === null
      ? []
      : [{ label: 'Traces', value: counted(clusters, 'trace'), detail: clusterText(figures) }]),
    ...(agreement === null ? [] : [agreementFigure(agreement)]),
    ...SCORE_CHANGES.filter((change) => counts[change] > 0).map((change) => ({
      ...{ label: `Items: ${change}`, value: counted(counts[change], 'item'), detail: '' },
    })),
  ];
}

function agreementFigure(agreement: ScoreAgreement): ReportFigure {
  const text = agreementText(agreement);
  const end = text.indexOf(' (');
  const detail = `${text.slice(end + 1)} ${ratesText(agreement)}`;
  return { label: 'Agreement of labels', value: text.slice(0, end), detail };
}

function chartsOf({ bins, labels, failureKinds }: ScoreShape): Derived['charts'] {
  const charts: Derived['charts'] = [];
  if (bins.length > 0)
    charts.push({
      ...{ form: 'bars', title: 'Items by score', names: ['Before', 'After'] },
      bars: bins.map((bin) => ({
        label: binText(bin),
        values: [bin.before, bin.after],
      })),
    });
  if (labels.length > 0)
    charts.push({
      ...{ form: 'bars', title: 'Items by label', names: ['Items'] },
      bars: labels.map(({ before, after, items }) => ({
        label: before === after ? after : `${textOf(before)} to ${after}`,
        values: [items],
      })),
    });
  if (failureKinds.length > 0)
    charts.push({
      ...{ form: 'bars', title: 'Failure kinds', names: ['Worse', 'Better'] },
      bars: failureKinds.map(({ name, counts }) => ({ label: name, values: [counts.worse, counts.better] })),
    });
  return charts;
}
