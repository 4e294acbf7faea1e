/** Checks that edits of single cells are applied only to the file content they were made for. */
import { AppError } from './errors.ts';
import type { CellEdits } from './upload-model.ts';

/** Throws FILE_CHANGED if cells of other content were edited: the rows may hold different values now. */
export function checkEditedContent(
  { cellEdits }: { cellEdits?: CellEdits | undefined },
  sha256: string,
  file: string,
): void {
  if (cellEdits === undefined || cellEdits.sha256 === sha256) return;
  throw new AppError(
    'FILE_CHANGED',
    'Cells were edited, and the content of the file has changed since. Expected the same content. Undo the edits, or check the file as it was.',
    { file },
  );
}
