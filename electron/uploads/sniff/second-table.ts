/** Finds a further table below the first one, with a header of its own. Pure. */
import { excerptOf } from '../readers/row-source.ts';
import { NULL_WORDS } from '../validate/column-evidence.ts';
import { isDatum } from './series-header.ts';

interface Row {
  line: number;
  /** Null if the line could not be read as a row. */
  cells: readonly string[] | null;
}

const MAX_NAMED = 3;
const LINE_END = /[\r\n]/;
const isName = (cell: string): boolean => !isDatum(cell) && !NULL_WORDS.includes(cell.trim());

/**
 * Index of the row that may be the header of a second table: it follows a blank line, has only names, and has numbers
 * or times below one of them. Null if there is none.
 */
export function secondTable(rows: readonly Row[]): number | null {
  for (let at = 2; at < rows.length - 1; at += 1) {
    const filled = (rows[at]?.cells ?? []).flatMap((cell, column) => (cell.trim() === '' ? [] : [column]));
    if (!isBelowBlank(rows, at) || filled.length < 2) continue;
    const names = rows[at]?.cells ?? [];
    const body = rows.slice(at + 1, blockEnd(rows, at + 1));
    const isTyped = (column: number) => {
      const below = body.map(({ cells }) => cells?.[column] ?? '').filter((cell) => cell.trim() !== '');
      return below.length > 0 && below.every(isDatum);
    };
    if (filled.every((column) => isName(names[column] ?? '')) && filled.some(isTyped)) return at;
  }
  return null;
}

/** A cell with line ends makes its row end further down, as a blank line would. */
function isBelowBlank(rows: readonly Row[], at: number): boolean {
  const [before, row] = [rows[at - 1], rows[at]];
  if (before === undefined || row === undefined || row.line <= before.line + 1) return false;
  return before.cells !== null && !before.cells.some((cell) => LINE_END.test(cell));
}

function blockEnd(rows: readonly Row[], from: number): number {
  let end = from + 1;
  while (end < rows.length && !isBelowBlank(rows, end)) end += 1;
  return end;
}

/** Header of the first column in a list of facts about a report, one fact per line. */
const FACT_NAME =
  /^(?:(?:key |summary )?(?:metric|measure|statistic|stat|kpi|figure|indicator|parameter|param|setting|option|propert(?:y|ie)|attribute|filter|field|key|info|information|detail|summary|report|report name|description|label|title)s?|merkmal|kennzahl|kennzahlen|einstellung|eigenschaft|filter|bericht|schlüssel|paramètre|métrique|indicateur|métrica|indicador|parámetro|parâmetro|metrica|parametro)$/i;
/** Header of the second column in such a list of facts. */
const FACT_VALUE = /^(?:(?:current |total )?values?|wert|werte|valeur|valeurs|valor|valores|valore|valori)$/i;

/**
 * True for a list of facts about a report in two columns, one fact per line. The first column has distinct texts.
 * Either the headers say that these are facts, or the second column mixes times and numbers. Several values beside a
 * name mean a table instead.
 */
function areFacts(names: readonly string[], body: readonly (readonly string[])[]): boolean {
  const [label = '', value = ''] = names;
  if (names.length !== 2) return false;
  const labels = body.map(([first = '']) => first.trim());
  if (labels.some(isDatum) || new Set(labels).size < labels.length) return false;
  const isMixed = new Set(body.map(([, second = '']) => NUMBER.test(second.trim()))).size > 1;
  return FACT_NAME.test(label.trim()) || FACT_VALUE.test(value.trim()) || isMixed;
}

const NUMBER = /^[-+(]?\p{Sc}?\s?[\d.,'\s]+(?:\s?[%\p{Sc})])?$/u;

/** Minimum number of rows, including the header, for a table. Fewer are taken for a title with facts. */
const MIN_TABLE_ROWS = 3;

const filledCells = ({ cells }: Row): number => (cells ?? []).filter((cell) => cell.trim() !== '').length;

/** Number of cells up to the last one with a value. Spreadsheets write all rows as wide as the widest one. */
const filledWidth = ({ cells }: Row): number => (cells ?? []).findLastIndex((cell) => cell.trim() !== '') + 1;

/**
 * True for texts that may be labels, each with a value in the next column: none comes twice, and none is a number or
 * time. Labels stand in each second column, or in the first one if the header says that these are facts.
 */
function areLabelled(lines: readonly (readonly string[])[], columns: number): boolean {
  const [label = '', value = ''] = lines[0] ?? [];
  const isSaid = FACT_NAME.test(label.trim()) || FACT_VALUE.test(value.trim());
  const isLabel = (at: number): boolean => (isSaid ? at === 0 : at % 2 === 0);
  const labels = lines.flatMap((cells) =>
    cells.flatMap((cell, at) => (isLabel(at) && cell.trim() !== '' ? [cell.trim()] : [])),
  );
  return (isSaid || columns % 2 === 0) && !labels.some(isDatum) && new Set(labels).size === labels.length;
}

interface TableAbove {
  /** First and last line. */
  line: number;
  last: number;
  columns: number;
  /** True if these may as well be facts about the other table: labels with their values in a sheet. */
  mayBeFacts: boolean;
}

/**
 * The first table among the rows above another table: consecutive lines with the same number of cells. The first has
 * only names, and the others have typed values. A table that may be facts is found only if there is no other. Null if
 * there is none.
 */
export function tableIn(
  rows: readonly Row[],
  isTypedBelow: (names: readonly string[], body: readonly (readonly string[])[]) => boolean,
): TableAbove | null {
  let facts: TableAbove | null = null;
  for (let from = 0, to = 0; from < rows.length; from = to) {
    const first = rows[from];
    const cellsOfFirst = first?.cells?.length ?? 0;
    to = from + 1;
    for (let row = rows[to]; row !== undefined; row = rows[to]) {
      const isNext = row.cells?.length === cellsOfFirst && row.line === (rows[to - 1]?.line ?? 0) + 1;
      if (!isNext || filledCells(row) === 0) break;
      to += 1;
    }
    const block = rows.slice(from, to);
    const columns = Math.max(...block.map(filledWidth));
    const lines = block.flatMap(({ cells }) => (cells === null ? [] : [cells.slice(0, columns)]));
    const [names = [], ...body] = lines;
    const isFull = block.length >= MIN_TABLE_ROWS && block.every((row) => filledCells(row) > 1);
    const areNames = names.every((name) => name.trim() !== '' && isName(name));
    if (first === undefined || !isFull || !areNames || !isTypedBelow(names, body) || areFacts(names, body))
      continue;
    const mayBeFacts = columns < cellsOfFirst && areLabelled(lines, columns);
    const found = { line: first.line, last: block.at(-1)?.line ?? first.line, columns, mayBeFacts };
    if (!mayBeFacts) return found;
    facts ??= found;
  }
  return facts;
}

/** A note about a second table; an empty list if there is none. */
export function secondTableNotes(rows: readonly Row[]): string[] {
  const row = rows[secondTable(rows) ?? -1];
  if (row === undefined) return [];
  const names = (row.cells ?? []).filter((cell) => cell.trim() !== '').map((cell) => `“${excerptOf(cell)}”`);
  const rest = names.length > MAX_NAMED ? ' …' : '';
  return [
    `Line ${row.line} (${names.slice(0, MAX_NAMED).join(', ')}${rest}) below a blank line may be the header of another table. It and the rows below are sent like the others: move them to a file or sheet of their own if they are one.`,
  ];
}
