/** Decides on one reading for each column of items from all rows of their file, and lists the changes of its values. */
import type { ColumnQuestion } from '../../shared/column-reading.ts';
import { AppError } from '../../shared/errors.ts';
import type { ItemColumn, ItemReading, SettledItems } from '../../shared/items-model.ts';
import type { ValueLedger } from '../../shared/value-ledger.ts';
import { checkSameState, type FileState } from '../file-state.ts';
import { openSource, readRows, type Source } from '../readers/open-source.ts';
import type { RowPosition } from '../readers/row-source.ts';
import { MAX_TRIED_ROWS, otherReading, otherReadingNote } from '../sniff/other-reading.ts';
import { TypeScan } from '../sniff/type-scan.ts';
import { withCopyChanges } from '../unpack/copy-facts.ts';
import { isNumeric, NULL_WORDS } from '../validate/column-evidence.ts';
import { RepeatedIds } from '../validate/known-ids.ts';
import type { ReadAt } from '../validate/reading-plan.ts';
import { readsSame, withDefaults } from '../validate/settle-columns.ts';
import { ItemReader, isPlain } from './item-of-row.ts';

export interface SettleItems extends ReadAt {
  path: string;
  reading: ItemReading;
  /** The file's state when it was offered; null to skip the check for changes. */
  state: FileState | null;
  /** The name of the id that rows can share, in notes; `source id` by default. */
  idName?: string;
}

/** Number types whose values are still sent unchanged. */
const WIDER = new Set(['float', 'decimal']);

/** Reads the whole file, and reads it again if its decisions differ from the usual ones. Throws FILE_* errors. */
export async function settleItems({
  path,
  reading,
  state,
  idName = 'source id',
  ...at
}: SettleItems): Promise<SettledItems> {
  if (state !== null) await checkSameState(path, state);
  const source = await openSource(path, reading.dialect);
  try {
    const types = new Map<string, { type: string; reason: string | null }>();
    const unfit = new ItemReader(reading, source.header).replacementProblem;
    if (unfit !== null) throw new AppError('INVALID_ARGUMENT', unfit);
    const first = await readAll(source, path, reading, { types, idName, at });
    const columns = reading.columns.map((column) => settledColumn(column, first.reader, types));
    const isSame = readsSame(columns.map(asPlan), reading.columns.map(asPlan));
    const last = isSame
      ? first
      : await readAll(source, path, { ...reading, columns }, { types: null, idName, at });
    await checkSameState(path, source.state);
    const { reader } = last;
    const other = await otherReading(source, path, last.malformed);
    const settled = reading.columns.map((column) => first.reader.settled(column));
    return {
      columns,
      questions: settled.flatMap((each): ColumnQuestion[] => (each?.question == null ? [] : [each.question])),
      ledger: await withCopyChanges(
        { ...reader.ledger(), decisions: decisionsOf(reading.columns, first.reader, types) },
        path,
        columns.map(({ source: name, place }) => ({ source: name, isSent: place !== null })),
      ),
      newKeys: [...reader.newKeys],
      problems: reader.problems(),
      repairedRows: reader.repairedRows,
      unusualRows: last.repeated.rows,
      notes: [
        ...last.repeated.notes(),
        ...reader.notes(),
        ...(other === null ? [] : [otherReadingNote(other)]),
      ],
      otherReading: other,
    };
  } finally {
    await source.close();
  }
}

const asPlan = ({ source, place, field, type, reading }: ItemColumn) => ({
  ...{ source, type, target: place === null ? null : `${place}.${field}` },
  ...(reading === undefined ? {} : { reading }),
});

async function readAll(
  source: Source,
  path: string,
  reading: ItemReading,
  {
    types,
    idName,
    at,
  }: { types: Map<string, { type: string; reason: string | null }> | null; idName: string; at: ReadAt },
): Promise<{ reader: ItemReader; repeated: RepeatedIds; malformed: readonly RowPosition[] }> {
  // Applies no default readings to JSON, because its values must stay unchanged.
  const columns = reading.columns.map((column) =>
    source.header === null && isPlain(column) ? column : withDefaults(column),
  );
  const reader = new ItemReader({ ...reading, columns, ...at }, source.header);
  const repeated = new RepeatedIds(idName);
  const malformed: RowPosition[] = [];
  const nulls = new Map((source.header ?? []).map((name) => [name, new Set(NULL_WORDS)]));
  const scan = types === null || source.header === null ? null : new TypeScan(source.header, nulls);
  for await (const { rows } of readRows(source, path, { start: source.dataStart })) {
    for (const row of rows) {
      const read = reader.read(row, '');
      if (!('bad' in read)) repeated.add(read.sourceId, row.line);
      if (row.problem === null) scan?.add(row);
      else if (malformed.length < MAX_TRIED_ROWS)
        malformed.push({ row: row.row, line: row.line, byteOffset: row.byteStart });
    }
  }
  for (const { name, type, changes } of scan?.list() ?? []) {
    const by = changes.at(-1);
    types?.set(name, {
      type,
      reason:
        by === undefined
          ? null
          : `its values are read as ${type} because of “${by.value}” in line ${by.line}`,
    });
  }
  return { reader, repeated, malformed };
}

/** A person's choice for a column is kept. A number type is widened to one that holds every number. */
function settledColumn(
  column: ItemColumn,
  reader: ItemReader,
  types: ReadonlyMap<string, { type: string }>,
): ItemColumn {
  const wider = widerOf(column, types.get(column.source)?.type);
  if (wider !== null) return { ...column, type: wider };
  const reading = reader.settled(column)?.reading ?? {};
  return Object.keys(reading).length === 0 ? column : { ...column, reading };
}

function widerOf({ type, reading }: ItemColumn, found: string | undefined): ItemColumn['type'] | null {
  const isGuess = reading === undefined && isNumeric(type);
  if (!isGuess || found === undefined || found === type || !WIDER.has(found)) return null;
  return found as ItemColumn['type'];
}

function decisionsOf(
  columns: readonly ItemColumn[],
  reader: ItemReader,
  types: ReadonlyMap<string, { type: string; reason: string | null }>,
): ValueLedger['decisions'] {
  return columns.flatMap((column) => {
    const { source } = column;
    const found = types.get(source);
    if (widerOf(column, found?.type) !== null && found?.reason != null)
      return [{ source, words: found.reason }];
    return (reader.settled(column)?.words ?? []).map((words) => ({ source, words }));
  });
}
