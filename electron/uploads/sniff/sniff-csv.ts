/** Guesses the dialect of delimited text: the start of its table, delimiter, quote, escape and header. Pure. */
import { counted } from '../../shared/count-text.ts';
import { type Dialect, delimiterName, MAX_HEADER_LINE } from '../../shared/dialect.ts';
import { AppError } from '../../shared/errors.ts';
import { isMark, MARK } from '../readers/byte-order-mark.ts';
import { CsvReader, ONE_COLUMN } from '../readers/csv-reader.ts';
import { canSeparate, decoderFor } from '../readers/encoding.ts';
import { afterLineEnd, excerptOf, MAX_ROW_BYTES } from '../readers/row-source.ts';
import { beginsWithNames, isTypedBelow } from './first-row.ts';
import { indexNameNotes } from './index-name.ts';
import { logOf } from './log-lines.ts';
import { escapedText, isCopy, isSingleQuoted, mayBeEscaped } from './quote-evidence.ts';
import { tableIn } from './second-table.ts';
import { isDatum } from './series-header.ts';
import {
  type Above,
  aboveText,
  linesAbove,
  scoreOf,
  type TableStart,
  type TrialRow,
  tableStart,
} from './table-start.ts';

export interface DialectGuess {
  dialect: Omit<Dialect, 'encoding' | 'nullWords'>;
  notes: string[];
}

interface SniffedText {
  /**
   * The beginning of the file in UTF-8 or its own encoding, without a byte order mark. It starts with the header line
   * if a person chose one.
   */
  bytes: Buffer;
  /** Pieces from random places further down, cut anywhere. */
  pieces: readonly Buffer[];
  encoding: string;
  /** True if the beginning is the whole file. */
  isWhole: boolean;
}

const GUESS_ROWS = 500;
/**
 * Ordered by preference. If several make equally many columns of numbers or times, the first one is used, because texts
 * contain commas more often than tabs.
 */
const DELIMITERS = ['\t', ',', ';', '|'];
/**
 * Delimiters tried if none of the usual ones makes columns: those of Hive and of ASCII, and characters that hardly any
 * text contains.
 */
const RARE_DELIMITERS = ['\u0001', '\u001f', '~', '^'];
/** Minimum numbers of columns and of rows, and minimum share of rows with these columns, to accept a rare delimiter. */
const MIN_RARE = { columns: 3, rows: 4, fit: 0.9 };
const TEXT_BYTES = 64 * 1024;
/** `\N` as PostgreSQL writes it, and NULL as `mysql --batch` writes it. */
const DATABASE_NULL = /(?:^|\t)(?:\\N|NULL)(?=[\t\r\n]|$)/m;
const DATABASE_ESCAPE = /\\[0bntrZ]/;

interface Signs {
  delimiter: string;
  quote: '"' | "'" | null;
  escape: '\\' | null;
}

const NO_SIGNS: Signs = { delimiter: ',', quote: '"', escape: null };

interface Trial extends Signs {
  rows: TrialRow[];
  start: TableStart;
}

export function guessCsv(sniffed: SniffedText, override: Partial<Dialect>): DialectGuess {
  const { bytes, encoding } = sniffed;
  const decode = decoderFor(encoding);
  const text = decode(bytes, 0, Math.min(bytes.length, TEXT_BYTES));
  const further = sniffed.pieces.map((piece) => decode(piece, 0, piece.length)).join('\n');
  const isFixed = override.headerLine !== undefined;
  const above = isFixed ? { lines: [], delimiter: null, to: 0 } : linesAbove(bytes);
  const bestWith = (delimiters: readonly string[]): Trial => {
    const texts = [text, further];
    const signs = delimiters.flatMap((each) => signsToTry(sniffed, texts, { delimiter: each, override }));
    return bestOf(
      (signs.length === 0 ? [NO_SIGNS] : signs).map((each) => tryOut(sniffed, above, each, isFixed)),
      sniffed,
    );
  };
  const said = above.delimiter !== null && canSeparate(encoding, above.delimiter) ? above.delimiter : null;
  const given = override.delimiter ?? said;
  const best = bestOfUsual(bestWith, given);
  const isOne = scoreOf(best.start) === 0;
  const { delimiter } = isOne ? { delimiter: override.delimiter ?? above.delimiter ?? ',' } : best;
  if (override.quote === undefined && !isOne) refuseCurlyQuotes(best, delimiter);
  const passedOver = isFixed ? [] : tableAboveNotes(best);
  if (!isFixed && given === null) refuseTexts(best);
  if (!isOne && given === null) refuseLog(text, delimiter);
  const header = headerGuess(best, above, { override, isFixed, sniffed });
  const name = delimiterName(delimiter);
  const notes: string[] = [];
  // Settings that a person gave are not guessed.
  if (override.delimiter === undefined) {
    if (above.delimiter === delimiter) notes.push(`Delimiter ${name}: the file says so by sep=.`);
    else
      notes.push(
        isOne
          ? `Delimiter ${name}: nothing separates the lines into columns, so there is one column.`
          : `Delimiter ${name}: ${Math.round(best.start.fit * 100)} % of the first rows have ${best.start.columns} columns.`,
      );
  }
  notes.push(...header.notes, ...passedOver);
  if (override.quote === undefined && best.quote === null && text.includes('"'))
    notes.push('No quotes: read as quotes, they do not close.');
  if (override.quote === undefined && best.quote === "'") notes.push("Quote ': cells begin and end with it.");
  if (override.escape === undefined && best.escape !== null)
    notes.push(`Escape ${best.escape}: ${escapedText(`${text}\n${further}`, best.quote, delimiter)}.`);
  const isEscaped = best.escape === '\\' || (delimiter === '\t' && DATABASE_NULL.test(text));
  const isDoubled = best.escape === null && text.includes('\\\\');
  if (isEscaped && (isDoubled || DATABASE_ESCAPE.test(text)))
    notes.push(
      `${isDoubled ? 'Backslashes' : 'Backslashes before letters and 0'} stay as they are written: ${isDoubled ? '\\n, \\t, \\0 and \\\\' : '\\n, \\t and \\0'} in texts are two characters. Export the table as CSV with doubled quotes to keep line ends and tabs.`,
    );
  return {
    dialect: {
      format: 'csv',
      delimiter,
      quote: best.quote ?? (override.quote === 'none' || text.includes('"') ? 'none' : '"'),
      ...(best.escape === null ? {} : { escape: best.escape }),
      ...header.dialect,
    },
    notes,
  };
}

/**
 * Throws FILE_MALFORMED for a row with curly quotes, as word processors write them, if the delimiter inside them cuts
 * it into more cells than there are columns.
 */
function refuseCurlyQuotes({ rows, start }: Trial, delimiter: string): void {
  const columns = rows[start.index]?.cells?.length ?? start.columns;
  const cut = rows.find(({ cells }) => cells !== null && cells.length > columns && isCutQuotation(cells));
  if (cut === undefined) return;
  throw new AppError(
    'FILE_MALFORMED',
    `Line ${cut.line}: a cell in curly quotes holds the ${delimiterName(delimiter)} that separates cells. Replace “ and ” with " around cells, or choose no quote if they are texts (--quote none).`,
    { line: cut.line },
  );
}

/**
 * Throws FILE_MALFORMED if the header has one name but the lines below are sentences cut into different numbers of
 * cells.
 */
function refuseTexts({ rows, start, delimiter }: Trial): void {
  const [first, ...others] = rows;
  const header = rows[start.index];
  const areTexts = others.every(({ cells }) => cells?.slice(1).every((cell) => /^\s+\S/.test(cell)));
  const isOther = delimiter !== ',' || start.index !== 1 || start.fit >= MIN_RARE.fit || !areTexts;
  if (isOther || first?.cells?.length !== 1 || header === undefined) return;
  throw new AppError(
    'FILE_MALFORMED',
    `Expected as many cells in each line, got one in line ${first.line} and different numbers below, which may be texts with commas. Read each line as one text: ${ONE_COLUMN}. If line ${header.line} has the names of columns, say so (--header-line ${header.line}).`,
    { line: header.line },
  );
}

/** Throws FILE_MALFORMED for log lines that the delimiter would cut. */
function refuseLog(text: string, delimiter: string): void {
  const log = logOf(text);
  if (log === null) return;
  throw new AppError(
    'FILE_MALFORMED',
    `Expected a table, got ${log}, whose lines the ${delimiterName(delimiter)} would cut. Export it as CSV or JSONL first, or read each line as one text: ${ONE_COLUMN}.`,
    { line: 1 },
  );
}

/**
 * Throws FILE_MALFORMED if another table with names and typed columns precedes the table that would be read. A note if
 * it may as well be facts about that table; an empty list if there is none.
 */
function tableAboveNotes({ rows, start }: Trial): string[] {
  const header = rows[start.index];
  const first = tableIn(rows.slice(0, start.index), isTypedBelow);
  if (first === null || header === undefined) return [];
  if (first.mayBeFacts)
    return [
      `Lines ${first.line} to ${first.last} above the header (${counted(first.last - first.line + 1, 'line')}) are passed over as facts about the table. If they are a table of their own, choose the line of its header (--header-line ${first.line}), or move it to a file of its own.`,
    ];
  throw new AppError(
    'FILE_MALFORMED',
    `Expected one table, got one of ${counted(first.columns, 'column')} from line ${first.line} on, and one of ${counted(start.columns, 'column')} from line ${header.line} on. Move each to a file of its own, or say which to read by the line of its header (--header-line ${first.line} or ${header.line}).`,
    { line: header.line },
  );
}

/** Whether one cell begins with a curly quote and a later one ends with the matching quote. */
function isCutQuotation(cells: readonly string[]): boolean {
  const from = cells.findIndex((cell) => /^\s*[“„][^”]*$/.test(cell));
  return from !== -1 && cells.slice(from + 1).some((cell) => /^[^“„]*[”“]\s*$/.test(cell));
}

function bestOfUsual(bestWith: (delimiters: readonly string[]) => Trial, given: string | null): Trial {
  const usual = bestWith(given === null ? DELIMITERS : [given]);
  if (given !== null || scoreOf(usual.start) > 0) return usual;
  const rare = bestWith(RARE_DELIMITERS);
  return isTable(rare) ? rare : usual;
}

/** True if a rare delimiter separates names in the first line, and the other lines have as many cells. */
function isTable({ rows, start }: Trial): boolean {
  const names = rows[0]?.cells ?? [];
  const areNames =
    names.every((name) => name !== '' && name.trim() === name) && new Set(names).size === names.length;
  return (
    areNames &&
    start.index === 0 &&
    start.columns >= MIN_RARE.columns &&
    start.fit >= MIN_RARE.fit &&
    rows.length >= MIN_RARE.rows
  );
}

/**
 * The quotes and escape characters to try; none for an empty file, or if the delimiter is also the only possible quote.
 */
function signsToTry(
  { bytes, encoding }: SniffedText,
  [text = '', further = '']: readonly string[],
  { delimiter, override }: { delimiter: string; override: Partial<Dialect> },
): Signs[] {
  if (bytes.length === 0) return [];
  const all = `${text}\n${further}`;
  const escapes = ((): Signs['escape'][] => {
    if (override.escape !== undefined) return [override.escape];
    if (!canSeparate(encoding, '\\')) return [null];
    if (isCopy(all, delimiter)) return ['\\'];
    return mayBeEscaped(all) ? [null, '\\'] : [null];
  })();
  return quoteCandidates(text, further, override.quote)
    .filter((quote) => quote !== delimiter)
    .flatMap((quote) => escapes.map((escaping): Signs => ({ delimiter, quote, escape: escaping })));
}

/** A single unclosed quote must show as a bad row; it must never be sent as part of a text. */
function quoteCandidates(
  text: string,
  further: string,
  override: Dialect['quote'] | undefined,
): Signs['quote'][] {
  if (override !== undefined) return [override === 'none' ? null : override];
  if (isSingleQuoted(`${text}\n${further}`)) return ["'", '"'];
  if (!text.includes('"')) return ['"'];
  // If several cells begin with this character and none ends with it, it is not a quote.
  const opening = text.match(/(?:^|[,;|\t])"/gm)?.length ?? 0;
  const isQuoting = opening > 0 && (opening < 3 || /"(?=[,;|\t\r\n]|$)/.test(text));
  return isQuoting || opening === 0 ? ['"'] : ['"', null];
}

function tryOut(
  { bytes, encoding, isWhole }: SniffedText,
  above: Above,
  signs: Signs,
  isFixed: boolean,
): Trial {
  const reader = readerOf(encoding, signs, above.lines.length + 1);
  let read = reader.push(bytes.subarray(above.to));
  // The file has only one line, or a quote is not closed.
  if (isWhole || read.length < 2) read = [...read, ...reader.end()];
  const rows = read.slice(0, GUESS_ROWS).map(({ line, cells, byteStart }) => ({
    ...{ line, cells },
    isMarked: isMark(bytes, above.to + byteStart - MARK.length),
  }));
  return { ...signs, rows, start: tableStart(rows, beginsWithNames, isFixed) };
}

function readerOf(encoding: string, { delimiter, quote, ...signs }: Signs, line: number): CsvReader {
  return new CsvReader({
    start: { byteOffset: 0, line, row: 1 },
    decode: decoderFor(encoding),
    measure: (_bytes, from, to) => to - from,
    maxRowBytes: MAX_ROW_BYTES,
    ...{ delimiter, quote, escape: signs.escape },
    columns: null,
  });
}

/** Lines in which tabs only align the cells after another delimiter. */
const isBlankTab = ({ delimiter, rows, start }: Trial): boolean =>
  delimiter === '\t' &&
  rows.slice(start.index).every(({ cells }) => cells?.slice(0, -1).every((cell) => /[,;|]$/.test(cell)));

/** The number of columns below the first row that hold only numbers, times or JSON. */
function typedColumns({ rows, start }: Trial): number {
  const body = rows.slice(start.index + 1);
  return Array.from({ length: start.columns }, (_, column) =>
    body.flatMap(({ cells }) => cells?.[column]?.trim() || []),
  ).filter((cells) => cells.length > 0 && cells.every(isDatum)).length;
}

/**
 * The trial in which every column holds only numbers, times or JSON, if none of `others` is such a trial. Needed
 * because a comma also cuts decimals that are separated by semicolons.
 */
function typedAlone(trials: readonly Trial[], others: readonly Trial[]): Trial | null {
  const whole = trials.filter(({ start }) => start.columns > 1 && start.fit === 1);
  if (new Set(whole.map(({ delimiter }) => delimiter)).size < 2) return null;
  const isTyped = (trial: Trial) => typedColumns(trial) === trial.start.columns;
  return others.some(isTyped) ? null : (whole.find(isTyped) ?? null);
}

/** Chooses among trials with equal scores: the first one with the delimiter that makes the most typed columns. */
function clearest(trials: readonly Trial[]): Trial | undefined {
  const first = trials.filter(
    ({ delimiter }, at) => trials.findIndex((trial) => trial.delimiter === delimiter) === at,
  );
  const sound = first.length < 2 ? first : first.filter((trial) => !isBlankTab(trial));
  if (sound.length < 2) return sound[0];
  return sound
    .map((trial) => ({ trial, typed: typedColumns(trial) }))
    .reduce((best, other) => (other.typed > best.typed ? other : best)).trial;
}

/** Chooses among the best trials. If several have the same delimiter, the pieces further down in the file decide. */
function bestOf(trials: readonly Trial[], sniffed: SniffedText): Trial {
  const top = Math.max(...trials.map(({ start }) => scoreOf(start)));
  const equal = trials.filter(({ start }) => scoreOf(start) === top);
  const best = typedAlone(trials, equal) ?? clearest(equal);
  if (best === undefined) throw new Error('Expected at least one way to read the file.');
  const others = trials.filter((trial) => trial !== best);
  const rivals = others.filter(({ delimiter, start }) => delimiter === best.delimiter && scoreOf(start) > 0);
  if (rivals.length === 0 || sniffed.pieces.length === 0) return best;
  const among = trials.filter((trial) => trial === best || rivals.includes(trial));
  const whole = (trial: Trial) => fitOverall(trial, sniffed);
  return among.reduce((one, other) => (whole(other) > whole(one) ? other : one));
}

/** Share of rows with the table's number of columns, at the beginning and in the pieces further down. */
function fitOverall({ rows, start, ...signs }: Trial, { pieces, encoding }: SniffedText): number {
  const table = rows.slice(start.index);
  const further = pieces.flatMap((piece) => {
    const from = afterLineEnd(piece, 0, false);
    return from < 0 ? [] : readerOf(encoding, signs, 1).push(piece.subarray(from)).slice(0, GUESS_ROWS);
  });
  const all = [...table, ...further];
  return all.filter(({ cells }) => cells?.length === start.columns).length / Math.max(all.length, 1);
}

interface HeaderGuess {
  dialect: Pick<Dialect, 'hasHeader' | 'headerLine' | 'hasIndex' | 'trailing'>;
  notes: string[];
}

function headerGuess(
  trial: Trial,
  above: Above,
  { override, isFixed, sniffed }: { override: Partial<Dialect>; isFixed: boolean; sniffed: SniffedText },
): HeaderGuess {
  const { rows, start } = trial;
  const table = rows.slice(start.index);
  const comment = isFixed || start.index > 0 ? null : commentRow(trial, above, sniffed);
  const first = comment?.row ?? table[0];
  const hasHeader =
    override.hasHeader ?? (comment?.isHeader || (beginsWithNames(table) && !isLineOfLog(first)));
  const line = Math.min(first?.line ?? 1, MAX_HEADER_LINE);
  const notes = override.hasHeader === undefined && !isFixed ? indexNameNotes(table) : [];
  const isDown = !isFixed && line > 1;
  if (isDown) {
    const lines = above.lines.filter((each) => each.line < line);
    const what = hasHeader ? 'Header' : 'First row';
    notes.push(
      `${what}: line ${line}. Before it, ${line === 2 ? '1 line is' : `${line - 1} lines are`} skipped: ${aboveText(lines, rows.slice(0, start.index), line - 1)}.`,
    );
  }
  if (override.hasHeader === undefined && !(isDown && hasHeader)) {
    notes.push(
      hasHeader ? 'Header: the first line looks like names.' : 'No header: the first line looks like data.',
    );
  }
  const beyond = hasHeader ? beyondHeader(first, table, start.columns, override) : {};
  if (beyond.hasIndex === true && override.hasIndex === undefined) {
    const body = table.slice(1).flatMap(({ cells }) => (cells?.length === start.columns ? [cells] : []));
    notes.push(indexNote(first?.cells ?? [], body, trial.delimiter));
  }
  if ((beyond.trailing ?? 0) > 0 && override.trailing === undefined) {
    notes.push(
      `Rows end with ${counted(beyond.trailing ?? 0, 'empty cell')} that the header has no name for: skipped.`,
    );
  }
  return { dialect: { hasHeader, ...(isDown ? { headerLine: line } : {}), ...beyond }, notes };
}

/**
 * A clause that names the first column and its value, so that a person notices if cells are shifted one place to the
 * right.
 */
function indexNote(
  names: readonly string[],
  [first = [], ...others]: readonly (readonly string[])[],
  delimiter: string,
): string {
  const isHalf = (cells: readonly string[], at: number): boolean =>
    /^[-+]?\d+$/.test(cells[at]?.trim() ?? '') && /^\d+$/.test(cells[at + 1]?.trim() ?? '');
  const places = delimiter === ',' ? [...first.keys()] : [];
  const split = places.findLast((at) => [first, ...others].every((cells) => isHalf(cells, at)));
  return [
    `Rows have one cell more than the header has names: the first column is taken as an index without a name, so that “${excerptOf(names[0] ?? '')}” is “${excerptOf(first[1] ?? '')}” in the first row.`,
    ...(split === undefined
      ? []
      : [
          `If ${first[split]},${first[split + 1]} is one number with a decimal comma, put such numbers in quotes, or write the file with another delimiter.`,
        ]),
  ].join(' ');
}

const isLineOfLog = (row: TrialRow | undefined): boolean =>
  row?.cells?.length === 1 && logOf(row.cells.join('')) !== null;

/** The header, if it is a comment directly above the rows: `#chrom start end`. */
function commentRow(
  trial: Trial,
  above: Above,
  { bytes, encoding }: SniffedText,
): { row: TrialRow; isHeader: boolean } | null {
  const last = above.lines.at(-1);
  const { columns } = trial.start;
  if (last?.kind !== 'comment' || columns < 2 || beginsWithNames(trial.rows)) return null;
  const reader = readerOf(encoding, trial, last.line);
  const [read] = [...reader.push(bytes.subarray(last.from, above.to)), ...reader.end()];
  if (read?.cells?.length !== columns) return null;
  const names = read.cells.map((cell) => cell.replace(/^#\s*/, ''));
  return { row: { line: read.line, cells: read.cells }, isHeader: !names.some(isDatum) };
}

/** Cells of the rows for which the header has no name: an index at the beginning, or empty cells at the end. */
function beyondHeader(
  header: TrialRow | undefined,
  table: readonly TrialRow[],
  columns: number,
  override: Partial<Dialect>,
): Pick<Dialect, 'hasIndex' | 'trailing'> {
  const given = header?.cells ?? [];
  const names = given.findLastIndex((name) => name.trim() !== '') + 1;
  const extra = columns - names;
  if (columns <= given.length || override.hasIndex !== undefined || override.trailing !== undefined)
    return {};
  const rows = table.flatMap(({ cells }) => (cells?.length === columns ? [cells] : []));
  let trailing = 0;
  while (trailing < extra && rows.every((cells) => (cells[columns - 1 - trailing] ?? '').trim() === ''))
    trailing += 1;
  // One missing name is that of an index column. For several, there is no explanation.
  if (extra - trailing > 1) return {};
  if (extra > trailing && areTextsCut(given, rows)) return {};
  const further = trailing - (given.length - names);
  return { ...(further > 0 ? { trailing: further } : {}), ...(extra > trailing ? { hasIndex: true } : {}) };
}

/**
 * True if the extra cell of each row comes from a text with a comma in it, such as “Smith, John”: the cells of exactly
 * one column begin with a blank, and the names do not.
 */
function areTextsCut(names: readonly string[], rows: readonly (readonly string[])[]): boolean {
  const isPadded = (cell = ''): boolean => /^[ \t]\S/.test(cell);
  if (rows.length === 0 || names.some(isPadded)) return false;
  const columns = Array.from({ length: (rows[0]?.length ?? 1) - 1 }, (_, at) => at + 1);
  const padded = columns.filter((at) => rows.every((cells) => isPadded(cells[at])));
  return padded.length > 0 && padded.length < columns.length;
}
