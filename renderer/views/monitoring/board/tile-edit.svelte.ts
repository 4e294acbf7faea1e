/**
 * The form of one tile of a board. It holds only the tile. When it saves, it takes the board as it is at that time and
 * replaces the tile, so that other changes of the board are kept.
 */
import type { SavedView } from '../../../../electron/shared/saved-view.ts';
import { type BoardTile, isComplete, isSameTile } from '../../../lib/monitoring/board.ts';

interface EditedBoard {
  /** Null for a default board. */
  readonly saved: SavedView | null;
  /** Makes a saved view of the tiles. Throws AppError if they are too long. */
  view: (tiles: readonly BoardTile[]) => SavedView;
  /** Saves a board. Throws AppError. */
  apply: (step: EditStep) => Promise<void>;
}

export interface EditStep {
  /** A sentence without the full stop; null if nothing changed in the end, so that there is nothing to undo. */
  done: string | null;
  /** The board that an undo restores; null for the default board. */
  before: SavedView | null;
  after: SavedView;
}

interface Edited {
  tile: BoardTile;
  /** The tile when the form was opened, or at the last step that can be undone. */
  start: BoardTile;
  /** Whether the form adds a tile. */
  isNew: boolean;
  /** Whether the user changed something. */
  isTouched: boolean;
  /** Whether the board was saved at some time while the form was open, and had the tile. */
  wasSaved: boolean;
  wasThere: boolean;
  /** The board as it was when the form was opened. */
  opened: { saved: SavedView | null; tiles: readonly BoardTile[] };
}

const areSame = (one: readonly BoardTile[], two: readonly BoardTile[]): boolean =>
  one.length === two.length &&
  one.every((tile, at) => {
    const other = two[at];
    return other !== undefined && isSameTile(tile, other);
  });

export class TileEdit {
  #edited = $state.raw<Edited | null>(null);
  /** Number of the form: it changes when another tile is opened, so that the fields are filled in again. */
  form = $state(0);
  readonly #board: EditedBoard;
  readonly #given: () => readonly BoardTile[];
  /** The step to record if the view is left now; null if there is none. */
  #leaving: EditStep | null = null;

  /** `given`: returns the tiles of the board without the changes in the form. Reactive. */
  constructor(board: EditedBoard, given: () => readonly BoardTile[]) {
    this.#board = board;
    this.#given = given;
  }

  /** The tile as it was when the form was opened; null if no form is open. */
  get start(): BoardTile | null {
    return this.#edited?.start ?? null;
  }
  /** Id of the tile in the form. */
  get id(): string | null {
    return this.#edited?.tile.id ?? null;
  }

  /** The tiles of the board with the changes in the form. */
  tiles(): readonly BoardTile[] {
    const edited = this.#edited;
    const given = this.#given();
    if (edited === null || !(edited.isNew || edited.isTouched)) return given;
    return given.some(({ id }) => id === edited.tile.id)
      ? given.map((each) => (each.id === edited.tile.id ? edited.tile : each))
      : [...given, edited.tile];
  }

  open(tile: BoardTile, isNew: boolean): void {
    const { saved } = this.#board;
    this.form += 1;
    this.#edited = {
      ...{ tile, start: tile, isNew, isTouched: false, wasSaved: saved !== null },
      wasThere: !isNew,
      opened: { saved, tiles: this.#given() },
    };
  }

  change(tile: BoardTile): void {
    if (this.#edited !== null) this.#edited = { ...this.#edited, tile, isTouched: true };
  }

  /**
   * Adapts the form to changes of the board that are made elsewhere. The form closes if its tile was removed, or its
   * board was deleted or reset. If the user changed nothing in it, it shows the tile as it is now. A new tile that
   * disappears because an earlier action is undone stays in its form and is saved again.
   */
  follow(): void {
    const edited = this.#edited;
    if (edited === null) return;
    const wasSaved = this.#board.saved !== null;
    const now = this.#given().find(({ id }) => id === edited.tile.id);
    const wasThere = now !== undefined;
    if ((edited.wasSaved && !wasSaved) || (edited.wasThere && !wasThere && !edited.isNew))
      this.#edited = null;
    else if (wasThere && !edited.isNew && !edited.isTouched && !isSameTile(now, edited.start)) {
      this.form += 1;
      this.#edited = { ...edited, tile: now, start: now, wasSaved };
    } else if (wasSaved !== edited.wasSaved || wasThere !== edited.wasThere)
      this.#edited = { ...edited, wasSaved, wasThere };
  }

  /** The board with the changes in the form; null if they are already saved. Throws AppError. */
  unsaved(): SavedView | null {
    const edited = this.#edited;
    if (edited === null || !(edited.isNew || edited.isTouched) || !isComplete(edited.tile)) return null;
    const now = this.#given().find(({ id }) => id === edited.tile.id);
    return now !== undefined && isSameTile(now, edited.tile) ? null : this.#board.view(this.tiles());
  }

  /** The changes in the form as a step that can be undone; null if there are none. Throws AppError. */
  #step(): EditStep | null {
    const edited = this.#edited;
    if (edited === null || !isComplete(edited.tile)) return null;
    const { tile, start, isNew, isTouched, opened } = edited;
    const isBack = !isNew && isSameTile(tile, start);
    if (!isNew && (!isTouched || (isBack && this.unsaved() === null))) return null;
    const earlier = this.tiles().flatMap((each) => (each.id !== tile.id ? each : isNew ? [] : start));
    const isStandard = opened.saved === null && areSame(earlier, opened.tiles);
    return {
      done: isBack ? null : isNew ? `Added “${tile.title}” to the board` : `Changed “${tile.title}”`,
      before: isStandard ? null : this.#board.view(earlier),
      after: this.#board.view(this.tiles()),
    };
  }

  /** Prepares the step to record in case the view is left before the next change. Throws AppError. */
  note(): void {
    this.#leaving = null;
    this.#leaving = this.#step();
  }

  /**
   * Saves the changes as one step that can be undone. The form stays open. Must be called before another change of the
   * board. Throws AppError.
   */
  async commit(): Promise<void> {
    const step = this.#step();
    const before = this.#edited;
    if (step === null || before === null) return;
    await this.#board.apply(step);
    const edited = this.#edited;
    if (edited === null || edited.tile.id !== before.tile.id) return;
    this.#edited = {
      ...{ tile: edited.tile, start: before.tile, isNew: false, wasSaved: true, wasThere: true },
      isTouched: edited.tile !== before.tile,
      opened: { saved: step.after, tiles: this.#given() },
    };
  }

  /** Closes the form. Its changes form one step that can be undone. Throws AppError. */
  async close(): Promise<void> {
    let step: EditStep | null;
    try {
      step = this.#step();
    } finally {
      this.#edited = null;
      this.#leaving = null;
    }
    if (step !== null) await this.#board.apply(step);
  }

  /**
   * To be called when the view is left, perhaps because another connection is entered: the changes in the form are
   * kept. Throws AppError.
   */
  async leave(): Promise<void> {
    const step = this.#leaving;
    this.#leaving = null;
    if (step !== null) await this.#board.apply(step);
  }
}
