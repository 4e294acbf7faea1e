/** Explains errors of the engine in typed SQL in plain words, with the next step. Pure. */
import { editDistance } from '../core/text/edit-distance.ts';
import type { SqlFault } from './typed-sql.ts';

/** A column of a view that the SQL uses. */
export interface NamedColumn {
  view: string;
  name: string;
}

/** Maximum number of names in a message. */
const MAX_NAMED = 5;
/** Maximum number of differing letters for names to count as misspellings of one another. */
const MAX_EDITS = 2;
/** Separates types at commas, except for the one inside `DECIMAL(18,3)`. */
const BETWEEN_TYPES = /, (?![^(]*\))/;
const NUMBER_LITERAL = /(INTEGER|DECIMAL)_LITERAL/g;

interface Wrong {
  said: string;
  sql: string;
  place: SqlFault['place'];
  columns: readonly NamedColumn[];
}

/** Each function returns the message for errors that it recognizes, otherwise null. */
const ADVICE: readonly ((wrong: Wrong) => string | null)[] = [
  wrongTable,
  wrongColumn,
  wrongTypes,
  wrongFunction,
  wrongComparison,
  wrongValue,
];

/** `columns`: columns of the views that the SQL uses. Unknown errors keep the engine's message. */
export function withAdvice(
  { message, place }: SqlFault,
  sql: string,
  columns: readonly NamedColumn[],
): SqlFault {
  for (const advise of ADVICE) {
    const found = advise({ said: message, sql, place, columns });
    if (found !== null) return { message: found, place };
  }
  return { message, place };
}

/** Without quotes, `inputs.question` is read as a column of a table `inputs`. */
function wrongTable({ said, sql, place, columns }: Wrong): string | null {
  const inTable = /^(?:Values list|Table) "(.+)" does not have a column named "(.+)"/.exec(said);
  const table = inTable?.[2] ?? /^Referenced table "(.+)" not found!/.exec(said)?.[1];
  if (table === undefined) return null;
  const below = columns.filter(({ name }) => startsLike(name, `${table}.`));
  const typed = typedName(sql, place);
  const meant = below.find(({ name }) => endsLike(`.${typed}`, `.${name}`));
  if (meant !== undefined)
    return `${typed} is not a column of a table. The name of the column has dots: write it in double quotes, ${quoted(meant)}.`;
  if (below.length > 0)
    return `There is no table ${table}. ${namesText('Columns that begin with it:', below)} Write their names in double quotes.`;
  const alike = similar(table, columns);
  if (alike.length > 0) return `There is no column ${typed}. ${namesText('Did you mean', alike, '?')}`;
  if (inTable !== null) return `${inTable[1]} has no column ${table}. ${describeText(columns)}`.trim();
  return `There is no table or column ${table}. ${tablesText(columns)}`;
}

const describeText = ([first]: readonly NamedColumn[]): string =>
  first === undefined ? '' : `For the columns: DESCRIBE SELECT * FROM ${first.view}.`;

function wrongColumn({ said, sql, place, columns }: Wrong): string | null {
  const [, name] = /^Referenced column "(.+)" not found in FROM clause!/.exec(said) ?? [];
  if (name === undefined) return null;
  const none = `There is no column ${name}.`;
  const below = columns.filter((each) => startsLike(each.name, `${name}.`));
  if (below.length > 0) return `${none} ${namesText('There are', below)} Write their names in double quotes.`;
  const alike = similar(name, columns);
  if (alike.length > 0) return `${none} ${namesText('Did you mean', alike, '?')}`;
  if (lineOf(sql, place).charAt((place?.column ?? 1) - 1) === '"')
    return `${none} Double quotes are for names; a text is written in single quotes: '${name}'.`;
  if (columns.length === 0) return none;
  return `${none} For the text, write '${name}' in single quotes. ${describeText(columns)}`;
}

function wrongTypes({ said }: Wrong): string | null {
  const [, call, types] =
    /^No function matches the given name and argument types '([^(]+)\((.*)\)'/.exec(said) ?? [];
  if (call === undefined || types === undefined) return null;
  return `${call} cannot take ${types.replaceAll(NUMBER_LITERAL, '$1').split(BETWEEN_TYPES).join(' and ')}. ${conversionOf(types)}`;
}

function conversionOf(types: string): string {
  if (types.includes('JSON'))
    return 'JSON is a column with values of several kinds, or with numbers of more digits than DOUBLE holds. Convert it: TRY_CAST(… AS DOUBLE), which gives NULL for anything but a number.';
  if (types.includes('VARCHAR'))
    return 'VARCHAR is text. Convert it: TRY_CAST(… AS DOUBLE), which gives NULL for a text that is not a number.';
  return 'Convert one of them: TRY_CAST(… AS TYPE).';
}

function wrongFunction({ said }: Wrong): string | null {
  const [, name, meant] =
    /^[A-Za-z ]*Function with name "?([^"\s]+)"? does not exist!(?: Did you mean "(.+)"\?)?/.exec(said) ?? [];
  if (name === undefined) return null;
  const isNear = meant !== undefined && editDistance(name.toLowerCase(), meant.toLowerCase()) <= MAX_EDITS;
  return `There is no function ${name}.${isNear ? ` Did you mean ${meant}?` : ''}`;
}

function wrongComparison({ said }: Wrong): string | null {
  const [, one, other] =
    /^Cannot compare values of type (.+) and type (.+?) - an explicit cast is required/.exec(said) ?? [];
  if (one === undefined || other === undefined) return null;
  const types = `${one} with ${other}`.replaceAll(NUMBER_LITERAL, '$1');
  const isTime = /TIMESTAMP|DATE/.test(types);
  return `Cannot compare ${types}. ${isTime ? "Write a time as a text in single quotes: '2026-05-01', or now() - INTERVAL 7 DAYS." : conversionOf(types)}`;
}

function wrongValue({ said }: Wrong): string | null {
  const conversion = /^Could not convert string '[\s\S]*' to \w+/.test(said);
  if (conversion)
    return `${said}. TRY_CAST(… AS TYPE) gives NULL for such values; a text is compared with a text in single quotes.`;
  const [, time] = /^invalid timestamp field format: "(.*?)", expected format/.exec(said) ?? [];
  if (time === undefined) return null;
  return `'${time}' is not a time. Write it as '2026-05-01' or '2026-05-01 14:30:00', or count from now: now() - INTERVAL 1 DAY.`;
}

/** The dotted name at the position of an error, without quotes. */
function typedName(sql: string, place: SqlFault['place']): string {
  const [found = ''] =
    /^(?:"[^"]*"|[\p{L}\p{N}_$]+)(?:\.(?:"[^"]*"|[\p{L}\p{N}_$]+))*/u.exec(
      lineOf(sql, place).slice((place?.column ?? 1) - 1),
    ) ?? [];
  return found.replaceAll('"', '');
}

const lineOf = (sql: string, place: SqlFault['place']): string =>
  place === null ? '' : (sql.split('\n')[place.line - 1] ?? '');

const startsLike = (text: string, start: string): boolean =>
  text.toLowerCase().startsWith(start.toLowerCase());
const endsLike = (text: string, end: string): boolean => text.toLowerCase().endsWith(end.toLowerCase());

/**
 * Columns whose last part has this name, or whose name is similar; if there are none, columns with this name as one of
 * their words.
 */
function similar(name: string, columns: readonly NamedColumn[]): NamedColumn[] {
  const typed = name.toLowerCase();
  const below = columns.filter((each) => endsLike(each.name, `.${typed}`));
  if (below.length > 0) return below;
  const most = Math.min(MAX_EDITS, Math.floor(typed.length / 3));
  const near = columns.filter((each) => {
    const other = each.name.toLowerCase();
    return (
      editDistance(typed, other) <= most ||
      editDistance(typed, other.slice(other.lastIndexOf('.') + 1)) <= most
    );
  });
  if (near.length > 0) return near;
  // Finds `status_code` for `status`.
  return columns.filter((each) => each.name.toLowerCase().split(/[._]/).includes(typed));
}

function namesText(words: string, columns: readonly NamedColumn[], end = '.'): string {
  const names = [...new Set(columns.map(quoted))];
  const more = names.length - MAX_NAMED;
  return `${words} ${names.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}${end}`;
}

const quoted = ({ name }: NamedColumn): string =>
  /^[a-z_][a-z0-9_]*$/i.test(name) ? name : `"${name.replaceAll('"', '""')}"`;

function tablesText(columns: readonly NamedColumn[]): string {
  const views = [...new Set(columns.map(({ view }) => view))];
  return views.length === 0 ? '' : `The query reads ${views.join(', ')}.`;
}
