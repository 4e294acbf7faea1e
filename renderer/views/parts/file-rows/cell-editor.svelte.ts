/**
 * Edits a cell of a checked file in place. The new text is for this cell alone, or for all rows with the same value.
 */
import type { CellMark, PreviewRow, ProblemGroup } from '../../../../electron/shared/upload-model.ts';
import type { Repairing } from '../../../state/repairing.ts';

interface EditedCell {
  source: string;
  /** The value in the file; null for an empty cell. */
  value: string | null;
  line: number;
  byteOffset: number;
  /** Number of rows with this value; 1 if unknown. */
  rows: number;
}

export class CellEditor {
  cell = $state.raw<EditedCell | null>(null);
  text = $state('');
  isForAll = $state(false);
  /** The reason why the text cannot be sent; null if it can. */
  problem = $state<string | null>(null);
  readonly #file: () => Repairing;
  readonly #problems: () => readonly ProblemGroup[];

  /** `problems`: returns those of the shown check. */
  constructor(file: () => Repairing, problems: () => readonly ProblemGroup[]) {
    this.#file = file;
    this.#problems = problems;
  }

  isAt({ byteOffset }: Pick<PreviewRow, 'byteOffset'>, source: string): boolean {
    return this.cell?.byteOffset === byteOffset && this.cell.source === source;
  }

  open(
    { line, byteOffset }: PreviewRow,
    value: string | null,
    { source, isRepaired, after }: CellMark,
  ): void {
    const same = this.#problems()
      .filter((group) => group.source === source)
      .flatMap(({ examples }) => examples)
      .find(({ before, isWhole }) => isWhole && before === value);
    this.cell = { source, value, line, byteOffset, rows: same?.rows ?? 1 };
    this.text = (isRepaired ? after : value) ?? '';
    this.isForAll = false;
    this.problem = null;
  }

  close(): void {
    this.cell = null;
  }

  /** Stores the edit; an empty text sends no value. If the text is invalid, the editor stays open. Throws AppError. */
  async commit(): Promise<void> {
    const { cell } = this;
    if (cell === null) return;
    const file = this.#file();
    const { source, value, line, byteOffset } = cell;
    const text = this.text === '' ? null : this.text;
    this.problem = text === value ? null : await file.problemOf(source, text);
    if (this.problem !== null || this.cell !== cell) return;
    this.close();
    if (this.isForAll && value !== null) {
      const replaced = { source, value, with: text === value ? undefined : text };
      file.edit(`Replaced “${value}” with “${text ?? 'null'}”`, () => file.setReplacements([replaced]));
    } else {
      const edit = { source, line, byteOffset, value, with: text };
      file.edit(`Edited ${source} in line ${line}`, () => file.editCell(edit));
    }
  }
}
