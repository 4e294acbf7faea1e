/** Selects the fields of a report: those that were chosen, without parts that must be masked. Pure. */
import { isRawNumber, parseExact, writeExact } from '../../shared/exact-json.ts';
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
import { elementAt } from '../element-at.ts';
import { isObject } from '../items/flattened.ts';
import { createRedactor, MASKED, type Redactor } from '../masking/redact.ts';

/** A column as stored, with everything that decides whether it is shown. */
export interface SourceColumn extends Omit<ReportColumn, 'isDerived' | 'values'> {
  values: readonly unknown[];
  isUsual: boolean;
  /** Path of the field that the values come from; if absent, the name of the column. */
  path?: string;
  /** Path of the field of each value, if the values come from several fields. */
  paths?: readonly string[];
  /** True if the texts may repeat contents of any field. */
  isContent?: boolean;
}

export interface SourceTable extends Omit<ReportTable, 'columns'> {
  columns: readonly SourceColumn[];
}

/** Everything that a report on a subject can contain. */
export interface ReportSource {
  kind: ReportKind;
  title: string;
  facts: readonly ReportFact[];
  rules: ReportRules;
  tables: readonly SourceTable[];
}

/** Number of values processed before yielding. */
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
    const isPrivate = isWholeMasked(column, redactor, privateFields.length > 0);
    found.set(name, {
      ...{ name, title, isUsual: isUsual || known?.isUsual === true },
      isPrivate: isPrivate || known?.isPrivate === true,
    });
  }
  return [...found.values()];
}

/** The chosen names that no table contains. */
export function unknownFields({ tables }: ReportSource, chosen: readonly string[]): string[] {
  const known = new Set(tables.flatMap(({ columns }) => columns.map(({ name }) => name)));
  return chosen.filter((name) => !known.has(name));
}

/**
 * The names to mask that match no column, no path of a column and no field inside the values. They are reported,
 * because a mistyped name would leave a field readable.
 */
export function unknownMasks({ tables }: ReportSource, masked: readonly string[]): string[] {
  const columns = tables.flatMap((table) => table.columns);
  return masked.filter((name) => {
    const redactor = createRedactor([name], new Set());
    return !columns.some(
      (column) =>
        column.values.some(
          (value, at) =>
            maskedPrefix(column, at, redactor) !== null ||
            hasMaskedPath(opened(value), pathAt(column, at), redactor) ||
            // A shortened JSON text may also contain the name.
            maskedCell(value, pathAt(column, at), redactor) !== cellOf(value),
        ) || isWholeMasked(column, redactor, false),
    );
  });
}

function hasMaskedPath(value: unknown, path: string, redactor: Redactor): boolean {
  if (redactor.isMaskedPath(path)) return true;
  if (Array.isArray(value))
    return redactor.isMaskedPath(`${path}.0`) || value.some((each) => hasMaskedPath(each, path, redactor));
  return (
    isObject(value) &&
    Object.entries(value).some(([name, part]) => hasMaskedPath(part, `${path}.${name}`, redactor))
  );
}

/**
 * The chosen columns with masked values as `[redacted]`. A masked text is also masked where another field repeats it. A
 * table without a chosen column is left out.
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
      const isWhole = isWholeMasked(column, redactor, patterns.length > 0);
      const values: ReportCell[] = [];
      for (const [at, value] of column.values.entries()) {
        const given = cellOf(value);
        const isMasked = isWhole || maskedPrefix(column, at, redactor) !== null;
        const kept =
          given === null || patterns.length === 0
            ? given
            : isMasked
              ? MASKED
              : maskedCell(value, pathAt(column, at), redactor);
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
    ...{ kind, rules, tables, title: withoutTold(title, redactor) },
    facts: facts.map(({ label, text }) => ({
      ...{ label: withoutTold(label, redactor), text: withoutTold(text, redactor) },
    })),
    masked: [...names].sort(),
  };
}

/** Masks a value and the fields inside it, for example `inputs.people.name` in a list of people. */
function maskedCell(value: unknown, path: string, redactor: Redactor): ReportCell {
  return cellOf(Object.values(redactor.mask({ [path]: value }))[0]);
}

/** The value with JSON texts parsed, also those nested in it. Any other value is returned unchanged. */
function opened(value: unknown): unknown {
  if (typeof value === 'string') {
    if (!/^\s*[[{]/.test(value)) return value;
    try {
      return opened(parseExact(value));
    } catch {
      // The text begins like JSON but is not.
      return value;
    }
  }
  if (Array.isArray(value)) return value.map(opened);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, opened(part)]));
}

/** Maximum number of words in a sequence that is looked up. Longer masked texts are only found as a whole text. */
const MAX_WORDS = 40;

/** A text without the masked texts that it repeats. */
function withoutTold(text: string, redactor: Redactor): string {
  const whole = elementAt(redactor.mask([text]), 0);
  if (whole !== text) return whole;
  const words = text.match(/[\p{L}\p{N}_]+|[^\p{L}\p{N}_]/gu) ?? [];
  let kept = '';
  for (let at = 0; at < words.length; ) {
    let end = Math.min(words.length, at + MAX_WORDS);
    while (end > at && !redactor.isTold(words.slice(at, end).join(''))) end -= 1;
    kept += end > at ? MASKED : words[at];
    at = Math.max(end, at + 1);
  }
  return kept;
}

const pathAt = ({ name, path = name, paths }: SourceColumn, at: number): string => paths?.[at] ?? path;

/** `isAnyMasked`: whether any field is masked, so that texts which may repeat it are masked too. */
function isWholeMasked(column: SourceColumn, redactor: Redactor, isAnyMasked: boolean): boolean {
  const { name, paths, path = name, isContent = false } = column;
  if (isContent && isAnyMasked) return true;
  const own = paths === undefined ? [name, path] : [name];
  return own.some((each) => prefixOf(each, redactor) !== null);
}

/** The masked path that contains a value; null if there is none. */
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

/** A value as a cell. Nested values, and numbers that a browser would change, become texts. */
function cellOf(value: unknown): ReportCell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  return isRawNumber(value) ? String(value) : writeExact(value);
}
