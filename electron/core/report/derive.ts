/**
 * Computes the figures and charts of a report only from the data inside it, so that `spandeck verify` can compute them
 * again. Pure.
 */
import { inNumbers } from '../../shared/count-text.ts';
import type { Pieces } from '../../shared/pieces.ts';
import type { Report, ReportFigure, ReportKind, ReportTable } from '../../shared/report-model.ts';
import { TOKEN_FIELD } from '../../shared/span-usage.ts';
import * as kinds from './kind-figures.ts';
import { scoreReport } from './score-report.ts';
import { type Derived, isMasked } from './table-reads.ts';

type Rules = Report['rules'];
type FiguresOf = (tables: readonly ReportTable[], rules: Rules) => Pieces<Derived>;

const atOnce = (figures: (tables: readonly ReportTable[], rules: Rules) => Derived): FiguresOf =>
  function* (tables, rules) {
    yield;
    return figures(tables, rules);
  };

const KINDS: Readonly<Record<ReportKind, FiguresOf>> = {
  scores: scoreReport,
  review: atOnce(kinds.reviewFigures),
  version: atOnce(kinds.versionFigures),
  changes: atOnce(kinds.changesFigures),
  coverage: atOnce(kinds.coverageFigures),
  trace: kinds.traceFigures,
  board: atOnce(kinds.boardFigures),
  alert: atOnce(kinds.alertFigures),
};

/** The columns that each figure needs, as patterns of names, and a name for the figures. */
const USES: Readonly<Record<ReportKind, readonly (readonly [column: RegExp, figures: string])[]>> = {
  scores: [
    [/^(position|before|after|label_before|label_after|trace)$/, 'all figures, changes and differences'],
    [/^failure_kind$/, 'failure kinds'],
  ],
  review: [
    [/^verdict$/, 'verdicts'],
    [/^failure_kind$/, 'failure kinds'],
  ],
  version: [[/./, 'items with a value']],
  changes: [
    [/^change$/, 'changes'],
    [/^fields$/, 'changed fields'],
  ],
  coverage: [[/^(dimension|production|items)$/, 'coverage']],
  trace: [
    [/^span_id$/, 'all figures'],
    [/^status_code$/, 'failed spans'],
    [/^(start_time|end_time)$/, 'length'],
    [/^parent_span_id$/, 'depth, levels and tokens'],
    [/^span_type$/, 'spans by type, and tokens'],
  ],
  board: [[/^(chart|series|time|value)$/, 'all values']],
  alert: [
    [/^severity$/, 'severities'],
    [/^(time|value|column)$/, 'judged values'],
  ],
};

/** A figure that lists the figures left out because of masked columns; an empty list if all are shown. */
function leftOut(kind: ReportKind, tables: readonly ReportTable[]): ReportFigure[] {
  const masked = tables.flatMap(({ columns }) => columns.filter(isMasked));
  const uses = [...USES[kind], ...(kind === 'trace' ? [[TOKEN_FIELD, 'tokens'] as const] : [])];
  const found = uses.flatMap(([column, figures]) => {
    const own = masked.filter(({ name }) => column.test(name)).map(({ title }) => title);
    return own.length === 0 ? [] : [`${figures}, because of ${own.join(', ')}`];
  });
  if (found.length === 0) return [];
  return [{ label: 'Left out', value: 'Masked fields', detail: `Not computed: ${found.join('; ')}.` }];
}

/**
 * Computes the report of chosen tables. Figures are missing if a column they need was not chosen. If such a column is
 * masked, the last figure lists the missing ones.
 */
export function* deriveReport(given: Omit<Report, 'figures' | 'charts'>): Pieces<Report> {
  const tables = given.tables.map((table) => ({
    ...table,
    columns: table.columns.filter(({ isDerived }) => !isDerived),
  }));
  const pieces = KINDS[given.kind](tables, given.rules);
  for (;;) {
    const { done, value } = inNumbers('comma', () => pieces.next());
    if (done === true) {
      const { figures, charts, tables: derived = tables } = value;
      return { ...given, figures: [...figures, ...leftOut(given.kind, tables)], charts, tables: derived };
    }
    yield;
  }
}
