/** Formats for copying rows of a table. Pure. */
import { delimitedCells } from '../../../electron/shared/delimited.ts';
import { isRawNumber } from '../../../electron/shared/exact-json.ts';
import type { Column, Row } from '../../lib/grid/columns.ts';
import type { PartKeyId } from '../../lib/part-keys.ts';
import { toYaml } from '../../lib/yaml.ts';
import { copyValue, toTsv } from './cells.ts';

interface CopyFormat {
  /** Text after `Copy row` or `Copy 3 rows`. */
  title: string;
  key?: PartKeyId;
  write: (columns: readonly Column[], rows: readonly Row[]) => string;
}

/** Formats to copy rows in. Tables contain the visible columns, records all fields. */
export const COPY_FORMATS: readonly CopyFormat[] = [
  { title: 'as a table', key: 'grid.copy', write: toTsv },
  { title: 'as CSV', write: toCsv },
  { title: 'as JSON', write: (_, rows) => JSON.stringify(rows.length === 1 ? rows[0] : rows, null, 2) },
  { title: 'as JSON Lines', write: (_, rows) => rows.map((row) => JSON.stringify(row)).join('\n') },
  { title: 'as YAML', write: (_, rows) => toYaml(rows.length === 1 ? rows[0] : rows) },
  { title: 'as Markdown', write: toMarkdown },
  { title: 'as Python', write: (_, rows) => toPython(rows) },
];

const dataColumns = (columns: readonly Column[]) => columns.filter(({ kind }) => kind !== 'pick');

/** Rows as CSV. Cells that a spreadsheet would execute are escaped. */
function toCsv(columns: readonly Column[], rows: readonly Row[]): string {
  const shown = dataColumns(columns);
  const lines = rows.map((row) => delimitedCells(shown.map((column) => copyValue(column.get(row)))));
  return [delimitedCells(shown.map(({ title }) => title)), ...lines].join('\n');
}

/** Escapes characters that would end a cell or start markup. A line end within a cell becomes a space. */
function markdownCell(text: string): string {
  return text.replaceAll(/[\\|`*_[\]<>~]/g, '\\$&').replaceAll(/\r\n|\r|\n/g, ' ');
}

function toMarkdown(columns: readonly Column[], rows: readonly Row[]): string {
  const shown = dataColumns(columns);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(shown.map(({ title }) => markdownCell(title))),
    line(shown.map(({ kind }) => (kind === 'number' ? '---:' : '---'))),
    ...rows.map((row) => line(shown.map((column) => markdownCell(copyValue(column.get(row)))))),
  ].join('\n');
}

function toPython(rows: readonly Row[]): string {
  const lines = rows.map((row) => `    ${pythonLiteral(row)},`);
  const decimal = lines.some((line) => line.includes('Decimal("')) ? ['from decimal import Decimal', ''] : [];
  return [
    ...decimal,
    'import pandas as pd',
    '',
    'rows = [',
    ...lines,
    ']',
    'df = pd.DataFrame(rows)',
    '',
  ].join('\n');
}

/**
 * A value as a Python literal. Numbers keep their digits; those beyond float precision become decimals. Texts are
 * written as JSON strings, which are valid in Python.
 */
function pythonLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (isRawNumber(value)) return /^-?\d+$/.test(value.digits) ? value.digits : `Decimal("${value.digits}")`;
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value) ?? 'None';
  const entries = Object.entries(value).map(
    ([key, each]) => `${JSON.stringify(key)}: ${pythonLiteral(each)}`,
  );
  return `{${entries.join(', ')}}`;
}
