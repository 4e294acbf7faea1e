/** Reads single rows of a file as the check does: their values, and which of these do not fit. */

import type { ModelFacts } from '../../shared/upload-columns.ts';
import type {
  CellMark,
  CheckedRow,
  ProblemGroup,
  Repair,
  RowStart,
  UploadPlan,
} from '../../shared/upload-model.ts';
import { checkSameState, type FileState } from '../file-state.ts';
import { openSource, readRows, type Source } from '../readers/open-source.ts';
import type { SourceRow } from '../readers/row-source.ts';
import { cellsOf, shownCell } from '../sniff/inspect-file.ts';
import type { Replaced } from './replacements.ts';
import { readingPlan } from './settle-columns.ts';
import { RowValidator } from './validate.ts';
import { isBad } from './values.ts';

export interface CheckRows {
  path: string;
  plan: UploadPlan;
  model: ModelFacts | null;
  state: FileState;
  places: RowStart[];
}

/** The settings for reading a file, and its columns in the order of the displayed cells. */
interface PlaceReading extends Pick<UploadPlan, 'dialect'> {
  columns: readonly { source: string }[];
}

/** Size of one read, larger than most rows. */
const PIECE_BYTES = 16 * 1024;
/** Maximum number of cells shown. */
const MAX_CELLS = 100;

/** Reads the rows with the findings of an event upload. Throws FILE_CHANGED, and read errors. */
export function checkRows({ plan, model, ...file }: CheckRows): Promise<CheckedRow[]> {
  // Uses a separate validator for each row, so that its counts are for this row alone.
  return readPlaces({ ...file, plan }, (row, { header }) => {
    const validator = new RowValidator(readingPlan(plan, plan.columns), header, model);
    const found = validator.check(row);
    const bad = 'bad' in found ? found.bad : null;
    // The fault of a missing value names its field, not a column of the file.
    const source = plan.columns.find(({ target }) => target === bad?.column)?.source ?? bad?.column ?? null;
    const fault = bad === null || source === null ? null : { source, reason: bad.reason };
    return marksOf(validator.problems(), {
      replaced: validator.replacedIn(row),
      repairs: plan.repairs,
      fault,
    });
  });
}

/** Rows in file order. A place after the end of the file gives no row. Throws FILE_CHANGED, and read errors. */
export async function readPlaces(
  { path, plan, state, places }: Omit<CheckRows, 'plan' | 'model'> & { plan: PlaceReading },
  marks: (row: SourceRow, source: Source) => CellMark[],
): Promise<CheckedRow[]> {
  await checkSameState(path, state);
  const source = await openSource(path, plan.dialect);
  try {
    const checked: CheckedRow[] = [];
    const names = plan.columns.slice(0, MAX_CELLS).map((column) => column.source);
    for (const place of places.toSorted((one, other) => one.byteOffset - other.byteOffset)) {
      const row = await rowAt(source, path, place);
      if (row === null) continue;
      const cells = row.problem === null ? cellsOf(row, names).slice(0, names.length).map(shownCell) : [];
      checked.push({ ...place, cells, marks: marks(row, source), problem: row.problem });
    }
    await checkSameState(path, state);
    return checked;
  } finally {
    await source.close();
  }
}

async function rowAt(source: Source, path: string, place: RowStart): Promise<SourceRow | null> {
  for await (const { rows } of readRows(source, path, { start: place, chunkBytes: PIECE_BYTES })) {
    const [row] = rows;
    if (row !== undefined) return row;
  }
  return null;
}

/** Results of checking one row, other than its problems. */
interface RowFindings {
  replaced: ReadonlyMap<string, Replaced>;
  repairs: readonly Repair[] | undefined;
  /** The first fault of the row, with its column in the file; null if the row is good. */
  fault: { source: string; reason: string } | null;
}

/** Marks for the cells of a row. `problems` must be those of this row alone. */
export function marksOf(
  problems: readonly ProblemGroup[],
  { replaced, repairs = [], fault }: RowFindings,
): CellMark[] {
  const kinds = new Map(repairs.map(({ source, problem, kind }) => [`${problem} ${source}`, kind]));
  const marks = problems.map(({ source, problem, reason, repaired, isSent, examples }): CellMark => {
    const by = replaced.get(source);
    if (by !== undefined) return replacedMark(source, problem, reason, by);
    const kind = repaired > 0 ? kinds.get(`${problem} ${source}`) : undefined;
    const after = kind === undefined ? null : (examples[0]?.after[kind] ?? null);
    return {
      source,
      problem,
      reason,
      isRepaired: repaired > 0,
      isUnusual: isSent && repaired === 0,
      after,
    };
  });
  for (const [source, by] of replaced)
    if (!marks.some((mark) => mark.source === source)) marks.push(replacedMark(source, null, '', by));
  if (fault === null || marks.some((mark) => mark.source === fault.source)) return marks;
  return [...marks, { ...fault, problem: null, isRepaired: false, isUnusual: false, after: null }];
}

/** A replacement that cannot be sent does not improve a bad value, so the value stays marked. */
function replacedMark(
  source: string,
  problem: CellMark['problem'],
  reason: string,
  { json, by, text }: Replaced,
): CellMark {
  const isRepaired = !isBad(json);
  return {
    ...{ source, problem, isRepaired, isUnusual: false, by },
    reason: isBad(json) ? json.reason : reason,
    after: isRepaired ? text : null,
  };
}
