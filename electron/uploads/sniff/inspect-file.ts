/** The preview of a file: its beginning and a few random places only, however large it is. */

import { seededNumbers } from '../../core/seeded.ts';
import { counted } from '../../shared/count-text.ts';
import type { Dialect } from '../../shared/dialect.ts';
import { AppError, toAppError } from '../../shared/errors.ts';
import { isRawNumber, writeExact } from '../../shared/exact-json.ts';
import type { FilePreview, PreviewColumn, PreviewRow } from '../../shared/upload-model.ts';
import { bomLength, byteStage, knownEncoding } from '../readers/encoding.ts';
import {
  createReader,
  notesOf,
  openSource,
  ruleNotes,
  type Source,
  startOfLine,
  unitBytes,
} from '../readers/open-source.ts';
import { openRaw, readAt } from '../readers/raw-file.ts';
import { ReadingFacts } from '../readers/reading-facts.ts';
import {
  excerptOf,
  lineTooLong,
  lineTooLongError,
  MAX_ROW_BYTES,
  ownField,
  type SourceRow,
} from '../readers/row-source.ts';
import { wrapperOf } from '../readers/wrapped-record.ts';
import { garbledNote } from './garbled-letters.ts';
import { inferJsonType, inferType, jsonTextNote, nullWordsOf } from './infer-types.ts';
import { invisibleNameNotes, invisibleNote } from './invisible-characters.ts';
import { calendarNote } from './other-calendar.ts';
import { guessDialect } from './sniff.ts';
import { guessEncoding, refuseOtherNotation } from './sniff-bytes.ts';
import { tableNotes } from './table-notes.ts';

/** The type of a column of JSON rows, with a note about texts that stand for numbers or times. */
function jsonGuess(name: string, rows: readonly SourceRow[]) {
  const values = rows.map(({ record, line }) => ({ value: record && ownField(record, name), line }));
  const type = inferJsonType(values.map(({ value }) => value));
  return { type, note: type === 'str' ? jsonTextNote(name, values) : null };
}

const HEAD_BYTES = 1_000_000;
const PIECE_BYTES = 64 * 1024;
const PIECES = 20;
const HEAD_ROWS = 100;
const INFER_ROWS = 2_000;
const SAMPLE_ROWS = 20;
const MAX_PROBLEMS = 20;
const MAX_KEYS = 5_000;
/** Number of columns that a note names. */
const MAX_NAMED = 5;

interface Piece {
  offset: number;
  bytes: Buffer;
}

/** Random positions. The same seed gives the same positions. */
function places(seed: number, count: number, from: number, to: number): number[] {
  const next = seededNumbers(Math.floor(seed * 0xffff_ffff));
  return Array.from({ length: count }, () => Math.floor(from + next() * (to - from))).sort((a, b) => a - b);
}

/**
 * Guesses the dialect of a file, except for the parts in `override`, and returns its first rows and some from random
 * places (`seed` in [0, 1)). Throws FILE_* errors, and INVALID_ARGUMENT for a dialect with contradictions.
 */
export async function inspectFile(options: {
  path: string;
  fileId: string;
  override: Partial<Dialect> | null;
  seed: number;
  /** Path of the list of a document that held the rows; null and absent if the file is not from a document. */
  list?: string | null;
}): Promise<FilePreview> {
  const { path, fileId, seed, list = null } = options;
  const override = withoutNothing(options.override ?? {});
  const raw = await openRaw(path);
  try {
    const head = await readAt(raw.handle, path, 0, HEAD_BYTES);
    const isWhole = head.length >= raw.state.sizeBytes;
    const pieces: Piece[] = [];
    if (!isWhole) {
      for (const place of places(
        seed,
        PIECES,
        head.length,
        Math.max(raw.state.sizeBytes - PIECE_BYTES, head.length),
      )) {
        const offset = place - (place % 2);
        pieces.push({ offset, bytes: await readAt(raw.handle, path, offset, PIECE_BYTES) });
      }
    }
    const all = pieces.map(({ bytes }) => bytes);
    const guessed = guessEncoding(raw.name, head, all, isWhole);
    const encoding = override.encoding === undefined ? guessed.encoding : knownEncoding(override.encoding);
    const mark = bomLength(head, encoding);
    const { headerLine = 1 } = override;
    const start = { byteOffset: mark, line: 1, row: 1 };
    const from = await startOfLine({ ...raw, dialect: { encoding, headerLine } }, path, start);
    const beginning =
      from.line === 1 ? head.subarray(mark) : await readAt(raw.handle, path, from.byteOffset, HEAD_BYTES);
    const isNamed = override.format !== undefined || override.delimiter !== undefined;
    if (!isNamed) refuseOtherNotation(raw.name, beginning, encoding);
    const { dialect, notes } = guessDialect(raw.name, beginning, all, encoding, override);
    const wanted: Dialect = { ...dialect, encoding, nullWords: [], ...override };
    const opened = await openSource(path, wanted).catch((problem: unknown) => {
      throw withDialect(problem, wanted);
    });
    try {
      const { source, rows, facts, isCutShort } = await withWrapper(opened, path, { isWhole, list });
      const samples = sampleRows(source, pieces, rows);
      const allNotes = [
        ...(override.encoding === undefined ? [guessed.note] : []),
        ...notes,
        ...(override.headerLine === undefined ? ruleNotes(source) : notesOf(source)),
        ...facts.notes(),
        ...tableNotes(source, { head, rows, samples, last: isWhole ? null : await lastRows(source, path) }),
      ];
      return preview({ fileId, source, rows, samples, notes: allNotes, override, isCutShort });
    } catch (problem) {
      throw withDialect(problem, wanted);
    } finally {
      await opened.close();
    }
  } finally {
    await raw.close();
  }
}

/** Adds the dialect to the error, because the file may be readable with other settings. */
function withDialect(problem: unknown, dialect: Dialect): AppError {
  const error = toAppError(problem);
  return new AppError(error.code, error.message, { ...error.details, dialect }, error.cause);
}

/** Removes empty settings from `override`. A header line of null means that none was chosen. */
function withoutNothing(override: Partial<Dialect>): Partial<Dialect> {
  return Object.fromEntries(
    Object.entries(override).filter(
      ([name, value]) => value !== undefined && (name !== 'headerLine' || value !== null),
    ),
  );
}

/** Reads the first rows, and again if an object in each of them holds its values. */
async function withWrapper(
  opened: Source,
  path: string,
  { isWhole, list }: { isWhole: boolean; list: string | null },
) {
  const read = async (source: Source) => {
    const facts = new ReadingFacts();
    return { source, facts, ...(await headRows(source, path, { isWhole, facts })) };
  };
  const first = await read(opened);
  const { dialect } = opened;
  if (dialect.format === 'csv' || dialect.wrapper !== undefined) return first;
  const records = first.rows.slice(0, HEAD_ROWS).flatMap(({ record }) => (record === null ? [] : [record]));
  const wrapper = wrapperOf(records, list);
  return wrapper === null ? first : read({ ...opened, dialect: { ...dialect, wrapper } });
}

/**
 * Reads the first rows, as many as a preview needs, but not more bytes than one row may take. `isWhole`: reads to the
 * end of the file.
 */
async function headRows(
  source: Source,
  path: string,
  { isWhole, facts }: { isWhole: boolean; facts: ReadingFacts },
): Promise<{ rows: SourceRow[]; isCutShort: boolean }> {
  const { dataStart, state } = source;
  const reader = createReader(source, { start: dataStart, maxRowBytes: MAX_ROW_BYTES, facts });
  const stage = byteStage(source.dialect.encoding);
  const rows: SourceRow[] = [];
  const most = dataStart.byteOffset + HEAD_BYTES + MAX_ROW_BYTES;
  for (let offset = dataStart.byteOffset; offset < state.sizeBytes; ) {
    const length = offset === dataStart.byteOffset ? HEAD_BYTES : PIECE_BYTES * 4;
    const bytes = await readAt(source.handle, path, offset, length);
    if (bytes.length === 0) break;
    offset += bytes.length;
    for (const row of reader.push(stage.push(bytes))) rows.push(row);
    if (rows.length >= HEAD_ROWS || (offset >= most && offset < state.sizeBytes)) {
      if (rows.length === 0) throw lineTooLongError(source.name, dataStart.line, MAX_ROW_BYTES);
      if (!isWhole) return { rows, isCutShort: rows.length < HEAD_ROWS };
    }
  }
  return { rows: [...rows, ...reader.push(stage.end()), ...reader.end()], isCutShort: false };
}

/**
 * Rows around random places. Their line numbers are estimates, because exact ones would need reading everything before.
 */
function sampleRows(source: Source, pieces: readonly Piece[], head: readonly SourceRow[]): SourceRow[] {
  // The start of an array element cannot be recognized from the middle of the file.
  if (source.dialect.format === 'json') return [];
  const last = head.at(-1);
  const bytesPerLine = last === undefined ? 100 : Math.max(last.byteEnd / last.nextLine, 1);
  return pieces.flatMap(({ offset, bytes }) => {
    const unit = unitBytes(source.dialect);
    const start = afterBreak(bytes, unit);
    if (start < 0) return [];
    const position = {
      byteOffset: offset + start,
      line: Math.round((offset + start) / bytesPerLine) + 1,
      row: 0,
    };
    const reader = createReader(source, { start: position, maxRowBytes: PIECE_BYTES });
    const rows = reader.push(byteStage(source.dialect.encoding).push(bytes.subarray(start)));
    // If the position is inside a quoted cell, the first rows look wrong. Only the well-formed ones are shown.
    return rows.filter((row) => row.problem === null).slice(0, 5);
  });
}

/** The last rows of a delimited file; none for JSON. Their line numbers are unknown. */
async function lastRows(source: Source, path: string): Promise<SourceRow[]> {
  const { sizeBytes } = source.state;
  if (source.dialect.format !== 'csv') return [];
  const from = Math.max(0, sizeBytes - PIECE_BYTES);
  const offset = from - (from % 2);
  const bytes = await readAt(source.handle, path, offset, PIECE_BYTES + 1);
  const start = afterBreak(bytes, unitBytes(source.dialect));
  if (start < 0) return [];
  const position = { byteOffset: offset + start, line: 1, row: 0 };
  const reader = createReader(source, { start: position, maxRowBytes: PIECE_BYTES });
  const stage = byteStage(source.dialect.encoding);
  return [...reader.push(stage.push(bytes.subarray(start))), ...reader.push(stage.end()), ...reader.end()];
}

function afterBreak(bytes: Buffer, unit: number): number {
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) {
    if (unit === 1) return at + 1;
    if (at % 2 === 0 && bytes[at + 1] === 0) return at + 2;
    if (at % 2 === 1 && bytes[at - 1] === 0) return at + 1;
  }
  return -1;
}

interface Parts {
  fileId: string;
  source: Source;
  rows: SourceRow[];
  samples: SourceRow[];
  notes: string[];
  override: Partial<Dialect>;
  /** True if the next row is longer than allowed. */
  isCutShort: boolean;
}

function preview({ fileId, source, rows, samples, notes, override, isCutShort }: Parts): FilePreview {
  const good = [...rows.slice(0, INFER_ROWS), ...samples].filter((row) => row.problem === null);
  const all = source.header ?? keysOf(good);
  const names = all.slice(0, all.length - emptyAtEnd(source, good));
  if (names.length === 0 && rows.length === 0)
    throw new AppError('FILE_EMPTY', `${source.name} has no rows: its list is empty.`, { file: source.name });
  if (names.length === 0) {
    const first = rows.find((row) => row.problem !== null);
    throw new AppError(
      'FILE_MALFORMED',
      `No row of ${source.name} could be read. Line ${first?.line ?? 1}: ${first?.problem ?? 'Expected an object with at least one key.'}`,
      { file: source.name, line: first?.line ?? 1 },
    );
  }
  const cells = (row: SourceRow) => cellsOf(row, names);
  const isJson = source.header === null;
  const allNotes = [
    ...notes,
    ...repeatedNotes(source),
    ...namelessNotes(source, names),
    ...invisibleNameNotes(names),
  ];
  const columns = names.map((name, index): PreviewColumn => {
    const texts = good.map((row) => ({ text: cells(row)[index] ?? '', line: row.line }));
    const found = isJson ? [] : nullWordsOf(texts.map(({ text }) => text));
    const nullWords = override.nullWords ?? found;
    const guess = isJson ? jsonGuess(name, good) : inferType(name, texts, nullWords);
    const own: NonNullable<PreviewColumn['notes']> = [
      ...(nullWords.length === 0 || override.nullWords !== undefined
        ? []
        : [
            {
              about: 'nulls' as const,
              text: `Read as no value in column “${excerptOf(name)}”, besides empty cells: ${nullWords.map(shownWord).join(', ')}.`,
            },
          ]),
      ...[
        guess.note,
        garbledNote(name, texts),
        calendarNote(
          name,
          texts.filter(({ text }) => !nullWords.includes(text.trim())),
        ),
      ]
        .filter((text) => text !== null)
        .map((text) => ({ about: 'type' as const, text })),
    ];
    allNotes.push(...own.map(({ text }) => text));
    const invisible = guess.type === 'str' || guess.type === 'category' ? invisibleNote(name, texts) : null;
    if (invisible !== null) allNotes.push(invisible);
    const proposed = found.length === 0 ? {} : { reading: { nulls: found } };
    const noted = own.length === 0 ? {} : { notes: own };
    return { name, type: guess.type, ...facts(texts, nullWords), ...proposed, ...noted };
  });
  if (!isJson) allNotes.push(...paddedNotes(columns, good.map(cells)));
  const toPreview = (row: SourceRow): PreviewRow => ({
    ...{ line: row.line, byteOffset: row.byteStart },
    cells: cells(row).map(shownCell),
  });
  return {
    fileId,
    name: source.name,
    sizeBytes: source.state.sizeBytes,
    dialect: { ...source.dialect, nullWords: override.nullWords ?? [] },
    notes: allNotes,
    sheets: [],
    isTyped: false,
    columns,
    head: rows
      .filter((row) => row.problem === null)
      .slice(0, HEAD_ROWS)
      .map(toPreview),
    sample: spread(samples, rows).map(toPreview),
    estimatedRows: isCutShort ? rows.length : estimate(source, rows),
    problems: [...problemsOf(rows, names, source), ...(isCutShort ? [tooLong(rows)] : [])],
  };
}

/** Rows after the head: random ones of a large file, evenly spread ones of a small one. */
function spread(samples: readonly SourceRow[], rows: readonly SourceRow[]): SourceRow[] {
  const rest = samples.length > 0 ? samples : rows.slice(HEAD_ROWS).filter((row) => row.problem === null);
  const step = Math.max(1, Math.floor(rest.length / SAMPLE_ROWS));
  return rest.filter((_row, index) => index % step === 0).slice(0, SAMPLE_ROWS);
}

/** Number of trailing columns that have neither a name nor a value in these rows. */
function emptyAtEnd({ header, spare }: Source, rows: readonly SourceRow[]): number {
  const columns = header?.length ?? 0;
  let empty = 0;
  while (empty < spare && rows.every(({ cells }) => (cells?.[columns - 1 - empty] ?? '').trim() === ''))
    empty += 1;
  return empty;
}

/** Maximum number of columns with a repeated name that are listed. */
const MAX_REPEATED = 5;

function repeatedNotes({ repeated }: Source): string[] {
  const listed = repeated
    .slice(0, MAX_REPEATED)
    .map(
      ({ name, first, place, called }) =>
        `column ${place}, named “${excerptOf(name)}” like column ${first}, is “${excerptOf(called)}”`,
    );
  const rest = repeated.length - listed.length;
  if (listed.length === 0) return [];
  return [
    `Columns renamed, because their names stand more than once in the header: ${listed.join('; ')}${rest > 0 ? ` and ${counted(rest, 'more column')}` : ''}.`,
  ];
}

function namelessNotes({ header, dialect }: Source, names: readonly string[]): string[] {
  if (header === null || !dialect.hasHeader) return [];
  const passed = header.length - names.length - (dialect.trailing ?? 0);
  const places = names.flatMap((name, index) => (isNumbered(name, index) ? [index + 1] : []));
  const first = header.length - passed + 1;
  return [
    ...places.map(
      (place) => `Column ${place} has no name in the header: it is called “${names[place - 1]}”.`,
    ),
    ...(passed === 1 ? [`The last column (${first}) has neither a name nor values: skipped.`] : []),
    ...(passed > 1
      ? [`The last ${passed} columns, from column ${first} on, have neither names nor values: skipped.`]
      : []),
  ];
}

/**
 * Notes that name the text columns in which most values begin or end with blanks. The blanks are sent as part of the
 * values.
 */
function paddedNotes(
  columns: readonly Pick<PreviewColumn, 'name' | 'type'>[],
  rows: readonly (readonly (string | null)[])[],
): string[] {
  let areAll = true;
  const padded = columns.flatMap(({ name, type }, at) => {
    if (type !== 'str' && type !== 'category') return [];
    const texts = rows.map((row) => row[at] ?? '').filter((text) => text.trim() !== '');
    const found = texts.filter((text) => text.trim() !== text).length;
    if (found === 0 || found <= texts.length / 2) return [];
    areAll &&= found === texts.length;
    return [`“${excerptOf(name)}”`];
  });
  if (padded.length === 0) return [];
  const rest = padded.length - MAX_NAMED;
  const names =
    padded.slice(0, MAX_NAMED).join(', ') + (rest > 0 ? ` and ${counted(rest, 'more column')}` : '');
  return [
    `Blanks around texts belong to them and are sent: ${areAll ? 'every value' : 'most values'} of ${names} ${areAll ? 'begins or ends' : 'begin or end'} with one. Write the file without them if they only align its columns.`,
  ];
}

const isNumbered = (name: string, index: number): boolean =>
  name.replace(/_+$/, '') === `column_${index + 1}`;

function keysOf(rows: readonly SourceRow[]): string[] {
  const keys = new Set<string>();
  for (const row of rows) {
    for (const key of Object.keys(row.record ?? {})) if (keys.size < MAX_KEYS) keys.add(key);
  }
  return [...keys];
}

/**
 * Returns the texts of a row: its cells, or the values of an object in the order of `names`, with null for a missing
 * key.
 */
export function cellsOf(
  row: Pick<SourceRow, 'cells' | 'record'>,
  names: readonly string[],
): (string | null)[] {
  if (row.cells !== null) return row.cells;
  return names.map((name) => {
    const value = row.record && ownField(row.record, name);
    if (value === null || value === undefined || isNotFinite(value)) return null;
    if (typeof value === 'string') return value;
    return isRawNumber(value) ? value.digits : writeExact(value);
  });
}

const isNotFinite = (value: unknown): boolean => typeof value === 'number' && !Number.isFinite(value);

/** A cell as it is displayed: shortened, and null if it is empty. */
export function shownCell(cell: string | null): string | null {
  return cell === null || cell === '' ? null : excerptOf(cell);
}

function facts(
  texts: readonly { text: string }[],
  nullWords: readonly string[],
): { emptyCount: number; samples: string[] } {
  const samples = new Set<string>();
  let emptyCount = 0;
  for (const { text } of texts) {
    const trimmed = text.trim();
    if (trimmed === '' || nullWords.includes(trimmed)) emptyCount += 1;
    else if (samples.size < 5) samples.add(excerptOf(trimmed));
  }
  return { emptyCount, samples: [...samples] };
}

function estimate(source: Source, rows: readonly SourceRow[]): number {
  const last = rows.at(-1);
  if (last === undefined) return 0;
  const start = source.dataStart.byteOffset;
  if (last.byteEnd >= source.state.sizeBytes) return rows.length;
  return Math.round(((source.state.sizeBytes - start) / Math.max(last.byteEnd - start, 1)) * rows.length);
}

function tooLong(rows: readonly SourceRow[]): string {
  return `Line ${rows.at(-1)?.nextLine ?? 1}: ${lineTooLong(MAX_ROW_BYTES)}`;
}

function problemsOf(rows: readonly SourceRow[], names: readonly string[], source: Source): string[] {
  const bad = rows.filter((row) => row.problem !== null);
  const problems = bad.slice(0, MAX_PROBLEMS).map((row) => `Line ${row.line}: ${row.problem}`);
  if (bad.length > MAX_PROBLEMS)
    problems.push(`${counted(bad.length - MAX_PROBLEMS, 'more bad row')} at the beginning.`);
  if (rows.length === 0) problems.push('The file has a header but no rows.');
  if (source.header !== null && names.length === 1 && source.dialect.format === 'csv') {
    problems.push('There is only one column. Check the delimiter.');
  }
  return problems;
}

/** Puts a word in quotes if it ends with a full stop or a colon, which would look like the end of a sentence. */
const shownWord = (word: string): string => (/[.:]$/.test(word) ? `“${word}”` : word);
