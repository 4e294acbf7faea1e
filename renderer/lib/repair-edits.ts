/** The user's choices for values that do not fit, updated by one choice. Pure. */
import type { CellEdit, CellEdits, Repair, Replacement } from '../../electron/shared/upload-model.ts';

/** `kind` null means no repair. */
export type RepairChoice = Pick<Repair, 'source' | 'problem'> & { kind: Repair['kind'] | null };
/** `with` undefined means that the value is sent unchanged. */
export type ReplacementChoice = Pick<Replacement, 'source' | 'value'> & { with: string | null | undefined };

export function withRepairs(repairs: readonly Repair[], chosen: readonly RepairChoice[]): Repair[] {
  const isOther = (each: Repair) =>
    !chosen.some(({ source, problem }) => source === each.source && problem === each.problem);
  const wanted = chosen.flatMap(({ source, problem, kind }) =>
    kind === null ? [] : [{ source, problem, kind }],
  );
  return [...repairs.filter(isOther), ...wanted];
}

export function withReplacements(
  replacements: readonly Replacement[],
  chosen: readonly ReplacementChoice[],
): Replacement[] {
  const isOther = (each: Replacement) =>
    !chosen.some(({ source, value }) => source === each.source && value === each.value);
  const wanted = chosen.flatMap(({ source, value, with: text }) =>
    text === undefined ? [] : [{ source, value, with: text }],
  );
  return [...replacements.filter(isOther), ...wanted];
}

/**
 * The edits for the file content with hash `sha256`, with one cell added; null if none is left. Entering the original
 * value removes the edit of a cell.
 */
export function withCellEdit(edits: CellEdits | null, sha256: string, edit: CellEdit): CellEdits | null {
  const before = edits?.sha256 === sha256 ? edits.cells : [];
  const others = before.filter(
    ({ source, byteOffset }) => source !== edit.source || byteOffset !== edit.byteOffset,
  );
  const cells = edit.with === edit.value ? others : [...others, edit];
  return cells.length === 0 ? null : { sha256, cells };
}
