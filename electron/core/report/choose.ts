/** The fields of a report: those that were chosen, without what must be masked. Pure. */
import { isRawNumber, writeExact } from '../../shared/exact-json.ts';
import type { Pieces } from '../../shared/pieces.ts';
import type {
  ReportCell,
  ReportColumn,
  ReportFact,
  ReportField,
  ReportKind,
  ReportOptions,
  ReportRules,
  ReportTable,
} from '../../shared/report-model.ts';
import { createRedactor, MASKED, type Redactor } from '../pack/redact.ts';

/** A column as it is stored, with all that decides whether it is shown. */
export interface SourceColumn extends Omit<ReportColumn, 'isDerived' | 'values'> {
  values: readonly unknown[];
  isUsual: boolean;
  /** Path of the field that the values come from; absent: the name of the column. */
  path?: string;
  /** Path of the field of each value, if they come from several. */
  paths?: readonly string[];
  /** Its texts may repeat contents of any field. */
  isContent?: boolean;
}

export interface SourceTable extends Omit<ReportTable, 'columns'> {
  columns: readonly SourceColumn[];
}

/** Everything that a report of a subject can contain. */
export interface ReportSource {
  kind: ReportKind;
  title: string;
  facts: readonly ReportFact[];
  rules: ReportRules;
  tables: readonly SourceTable[];
}

/** Values processed at once. */
const PIECE = 1_000;

type Chosen = Pick<ReportSource, 'kind' | 'rules'> & {
  title: string;
  facts: ReportFact[];
  masked: string[];
  tables: ReportTable[];
};

/** The fields of all tables, each name once. `privateFields`: patterns of fields that are always masked. */
export function fieldsOf({ tables }: ReportSource, privateFields: readonly string[]): ReportField[] {
  const redactor = createRedactor(privateFields, new Set());
  const found = new Map<string, ReportField>();
  for (const column of tables.flatMap(({ columns }) => columns)) {
    const { name, title, isUsual } = column;
    const known = found.get(name);
    const isPrivate = isWholeMasked(column, redactor, privateFields);
    found.set(name, {
      ...{ name, title, isUsual: isUsual || known?.isUsual === true },
      isPrivate: isPrivate || known?.isPrivate === true,
    });
  }
  return [...found.values()];
}

/** The chosen names that no table has. */
export function unknownFields({ tables }: ReportSource, chosen: readonly string[]): string[] {
  const known = new Set(tables.flatMap(({ columns }) => columns.map(({ name }) => name)));
  return chosen.filter((name) => !known.has(name));
}

/**
 * Only the chosen columns, with masked values as `[redacted]`, also where a masked text is repeated elsewhere. A table
 * without a chosen column is left out.
 */
export function* choose(
  source: ReportSource,
  { fields, masked }: Pick<ReportOptions, 'fields' | 'masked'>,
  privateFields: readonly string[],
): Pieces<Chosen> {
  const wanted = fields === null ? null : new Set(fields);
  const patterns = [...privateFields, ...masked];
  const redactor = createRedactor(patterns, new Set());
  if (patterns.length > 0)
    for (const column of source.tables.flatMap(({ columns }) => columns))
      for (const [at, value] of column.values.entries()) {
        redactor.learn({ [maskedPrefix(column, at, redactor) ?? pathAt(column, at)]: value });
        if (at % PIECE === PIECE - 1) yield;
      }
  const names = new Set<string>();
  const tables: ReportTable[] = [];
  for (const table of source.tables) {
    const columns: ReportColumn[] = [];
    for (const column of table.columns) {
      if (wanted === null ? !column.isUsual : !wanted.has(column.name)) continue;
      const { name, title, type } = column;
      const isWhole = isWholeMasked(column, redactor, privateFields);
      const values: ReportCell[] = [];
      for (const [at, value] of column.values.entries()) {
        const given = cellOf(value);
        const isMasked = isWhole || maskedPrefix(column, at, redactor) !== null;
        const kept =
          given === null || patterns.length === 0
            ? given
            : isMasked
              ? MASKED
              : cellOf(redactor.mask([value])[0]);
        if (kept !== given) names.add(name);
        values.push(kept);
        if (at % PIECE === PIECE - 1) yield;
      }
      columns.push({ name, title, type, isDerived: false, values });
    }
    if (columns.length > 0) tables.push({ ...table, columns });
  }
  const { kind, title, rules, facts } = source;
  return {
    ...{ kind, rules, tables, title: redactor.mask([title])[0] ?? '' },
    facts: facts.map(({ label, text }) => ({ label, text: redactor.mask([text])[0] ?? '' })),
    masked: [...names].sort(),
  };
}

const pathAt = ({ name, path = name, paths }: SourceColumn, at: number): string => paths?.[at] ?? path;

function isWholeMasked(column: SourceColumn, redactor: Redactor, privateFields: readonly string[]): boolean {
  const { name, paths, path = name, isContent = false } = column;
  if (isContent && privateFields.length > 0) return true;
  const own = paths === undefined ? [name, path] : [name];
  return own.some((each) => prefixOf(each, redactor) !== null);
}

/** The masked path at or above a value; null if there is none. */
function maskedPrefix(column: SourceColumn, at: number, redactor: Redactor): string | null {
  return prefixOf(column.name, redactor) ?? prefixOf(pathAt(column, at), redactor);
}

/** A masked name masks everything below it: `inputs` masks `inputs.question`. */
function prefixOf(path: string, redactor: Redactor): string | null {
  for (let end = path.indexOf('.'); end >= 0; end = path.indexOf('.', end + 1)) {
    const prefix = path.slice(0, end);
    if (redactor.isMaskedPath(prefix)) return prefix;
  }
  return redactor.isMaskedPath(path) ? path : null;
}

/** A value as a cell: numbers that a browser would change, and nested values, are texts. */
function cellOf(value: unknown): ReportCell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  return isRawNumber(value) ? String(value) : writeExact(value);
}
