/** The figures of two compared score runs, as the window shows them. Pure. */
import { counted } from '../../shared/count-text.ts';
import {
  agreementText,
  clusterText,
  differenceText,
  figureText,
  intervalText,
  rangeText,
  ratesText,
  verdictWords,
} from '../../shared/figure-words.ts';
import type { Pieces } from '../../shared/pieces.ts';
import type { ReportCell, ReportFigure, ReportRules, ReportTable } from '../../shared/report-model.ts';
import { type ComparedScore, SCORE_CHANGES, type ScoreComparison } from '../../shared/score-comparison.ts';
import type { ScoreValue } from '../../shared/score-model.ts';
import { Comparison, type ScorePair } from '../items/compare-scores.ts';
import { columnOf, countOf, type Derived, derivedColumn, numberOf, tableOf, textOf } from './table-reads.ts';

/** Columns without which there are no figures. */
const NEEDED = ['position', 'before', 'after', 'label_before', 'label_after', 'trace'] as const;
const PIECE = 2_000;

type Columns = Record<(typeof NEEDED)[number], readonly ReportCell[]>;

export function* scoreReport(tables: readonly ReportTable[], rules: ReportRules): Pieces<Derived> {
  const items = tableOf(tables, 'items');
  const columns = items === undefined ? null : neededOf(items);
  if (items === undefined || columns === null) return { figures: [], charts: [] };
  const kinds = columnOf(items, 'failure_kind');
  const lowerIsBetter = rules['lowerIsBetter'] === true;
  const comparison = new Comparison({
    ...{ lowerIsBetter, isOfSameTexts: rules['isOfSameTexts'] === true },
    kindOf: (row) => textOf(kinds?.[Number(row)]) || null,
    clusterOf: (row) => textOf(columns.trace[Number(row)]) || null,
  });
  // The order decides the samples that an interval is drawn from.
  const order = [...columns.position.keys()].sort(
    (one, other) => countOf(columns.position[one]) - countOf(columns.position[other]),
  );
  for (const [at, row] of order.entries()) {
    comparison.add(pairOf(columns, row));
    if (at % PIECE === PIECE - 1) yield;
  }
  const { summary, rows } = yield* comparison.finish();
  return {
    figures: figuresOf(summary),
    charts: chartsOf(summary),
    tables: tables.map((table) => (table === items ? withChanges(items, rows) : table)),
  };
}

/** Null if a column was not chosen, or is masked. */
function neededOf(table: ReportTable): Columns | null {
  const found = NEEDED.map((name) => columnOf(table, name));
  const [position, before, after, labelBefore, labelAfter, trace] = found;
  if (!position || !before || !after || !labelBefore || !labelAfter || !trace) return null;
  // A number that a browser would change is a text.
  if ([position, before, after].some((cells) => cells.some((cell) => typeof cell === 'string'))) return null;
  return { position, before, after, label_before: labelBefore, label_after: labelAfter, trace };
}

function pairOf(columns: Columns, row: number): ScorePair {
  return {
    itemId: String(row),
    before: scoreOf(columns.before[row], columns.label_before[row]),
    after: scoreOf(columns.after[row], columns.label_after[row]),
  };
}

function scoreOf(value: ReportCell | undefined, label: ReportCell | undefined): ScoreValue | null {
  const own = { name: '', value: numberOf(value), label: textOf(label) || null, reasoning: null };
  return own.value === null && own.label === null ? null : own;
}

/** Derived columns before the numbers: the change of each item, and the difference of its numbers. */
function withChanges(table: ReportTable, rows: readonly ComparedScore[]): ReportTable {
  const changes: ReportCell[] = Array.from({ length: table.rows }, () => null);
  const differences: ReportCell[] = [...changes];
  for (const { itemId, change, difference } of rows) {
    changes[Number(itemId)] = change;
    differences[Number(itemId)] = difference;
  }
  const derived = [
    derivedColumn('change', 'Change', 'text', changes),
    derivedColumn('difference', 'Difference', 'number', differences),
  ];
  const place = table.columns.findIndex(({ name }) => name === 'before');
  return { ...table, columns: table.columns.toSpliced(place, 0, ...derived) };
}

type Summary = Omit<ScoreComparison, 'name' | 'names' | 'all' | 'rows' | 'total'>;

function figuresOf({ counts, figures, agreement }: Summary): ReportFigure[] {
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

function agreementFigure(agreement: NonNullable<Summary['agreement']>): ReportFigure {
  const text = agreementText(agreement);
  const end = text.indexOf(' (');
  const detail = `${text.slice(end + 1)} ${ratesText(agreement)}`;
  return { label: 'Agreement of labels', value: text.slice(0, end), detail };
}

function chartsOf({ bins, labels, failureKinds }: Summary): Derived['charts'] {
  const charts: Derived['charts'] = [];
  if (bins.length > 0)
    charts.push({
      ...{ form: 'bars', title: 'Items by number', names: ['Before', 'After'] },
      bars: bins.map(({ from, to, before, after }) => ({
        label: rangeText(from, to),
        values: [before, after],
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
