/** Applies the flags for values to the columns of a file. Loads the parsers of numbers and times. */
import type { ColumnReading } from '../shared/column-reading.ts';
import { AppError } from '../shared/errors.ts';
import { looksLikeNumber } from '../uploads/validate/number-reading.ts';
import { readTime } from '../uploads/validate/timestamps.ts';
import { nameList } from './human-text.ts';
import { type ColumnType, type Given, type GivenFlag, givenFlags, readingOfAll } from './value-flags.ts';

/** The properties of a file's column that flags concern. */
interface ReadColumn {
  source: string;
  type: ColumnType;
  reading?: ColumnReading | undefined;
}

interface ReadColumns<C> {
  /** Whether a model defines the type, so that flags do not change it. */
  isTyped?: (column: C) => boolean;
  /** Whether values of the column are sent. */
  isSent?: (column: C) => boolean;
  /** Some texts of the column, as they are in the file. */
  samplesOf: (column: C) => readonly string[];
}

/**
 * The columns with the flags applied, to the named column or to every column that they fit. A text column gets the type
 * number or time if all of its texts can be parsed so with the reading for all columns. `unfit`: one sentence for each
 * flag that fits no sent column. Throws INVALID_ARGUMENT.
 */
export function withValueFlags<C extends ReadColumn>(
  args: Given,
  columns: readonly C[],
  how: ReadColumns<C>,
): { columns: C[]; unfit: string[] } {
  if (args.flag('day-first') && args.flag('month-first'))
    throw new AppError('INVALID_ARGUMENT', 'Both --day-first and --month-first were given. One is enough.');
  const names = columns.map(({ source }) => source);
  const said = givenFlags(args, names);
  const every = readingOfAll(args);
  const isTyped = how.isTyped ?? (() => false);
  // Flags for all columns come first, so that a flag for one column takes precedence.
  const ordered = said.toSorted((a, b) => Number(a.column !== null) - Number(b.column !== null));
  const nullsOf = ({ source, reading }: C): readonly string[] =>
    ordered.findLast(({ column, reading: { nulls } }) => nulls !== undefined && (column ?? source) === source)
      ?.reading.nulls ??
    reading?.nulls ??
    [];
  const typed = columns.map((column): C => {
    const values = how.samplesOf(column).filter((text) => !nullsOf(column).includes(text));
    const type = isTyped(column) ? null : typeBy(every, column, values);
    return type === null ? column : { ...column, type };
  });
  const read = typed.map((column) => {
    let changed = column;
    for (const { name, rule, column: of, reading } of ordered) {
      if (of !== null && of !== column.source) continue;
      const fits = rule.fits(changed.type);
      if (!fits && of === null) continue;
      if (!fits && (rule.of === null || isTyped(column))) {
        throw new AppError(
          'INVALID_ARGUMENT',
          `--${name} does not fit ${column.source}: its values are sent as ${changed.type}.`,
        );
      }
      const type = fits ? changed.type : (rule.of ?? changed.type);
      changed = { ...changed, type, reading: { ...changed.reading, ...reading } };
    }
    return changed;
  });
  const sent = read.filter(how.isSent ?? (() => true));
  const fitsNone = ({ rule, column }: (typeof said)[number]) =>
    column === null
      ? !sent.some(({ type }) => rule.fits(type))
      : !sent.some(({ source }) => source === column);
  return { columns: read, unfit: said.filter(fitsNone).map((each) => unfitText(each, sent)) };
}

/** The message about a flag, e.g. `--zone fits no column: expected a column of times, got amount (float). …` */
function unfitText({ name, given, column, value, rule }: GivenFlag, sent: readonly ReadColumn[]): string {
  if (column !== null)
    return `--${name} ${column}=${value} changes nothing: “${column}” is left out. Leave the flag out, or give the column a place.`;
  const shown = sent.map(({ source, type }) => `${source} (${type})`);
  return `--${given} fits no column: expected ${rule.about}, got ${nameList(shown)}. Leave it out, or name the column that it is about: --${name} COLUMN=${value}.`;
}

/**
 * Type number or time if all sampled texts of a column can be parsed so with the reading for all columns; otherwise
 * null.
 */
function typeBy(
  { decimal, days }: ColumnReading,
  { type }: ReadColumn,
  values: readonly string[],
): ColumnType | null {
  if ((type !== 'str' && type !== 'category') || values.length === 0) return null;
  if (decimal !== undefined && values.every((text) => looksLikeNumber(text, decimal))) return 'float';
  if (days !== undefined && values.every((text) => typeof readTime(text, { days }) !== 'string'))
    return 'timestamp';
  return null;
}
