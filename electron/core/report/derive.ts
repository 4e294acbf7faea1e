/**
 * The figures and charts of a report, computed from the data inside it alone: `spandeck verify` computes them again.
 * Pure.
 */
import { inNumbers } from '../../shared/count-text.ts';
import type { Pieces } from '../../shared/pieces.ts';
import type { Report, ReportKind, ReportTable } from '../../shared/report-model.ts';
import * as kinds from './kind-figures.ts';
import { scoreReport } from './score-report.ts';
import type { Derived } from './table-reads.ts';

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

/** The report of chosen tables. Figures are missing if a column they need was not chosen. */
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
      return { ...given, figures, charts, tables: derived };
    }
    yield;
  }
}
