/**
 * The form of one tile of a board. Only the tile is held: everything that is written is the board as it is at that time,
 * with this tile, so that other changes of the board stay.
 */
import type { SavedView } from '../../../../electron/shared/saved-view.ts';
import { type BoardTile, isComplete, isSameTile } from '../../../lib/monitoring/board.ts';

interface EditedBoard {
  /** Null for a standard board. */
  readonly saved: SavedView | null;
  /** Throws AppError if the tiles are too long. */
  view: (tiles: readonly BoardTile[]) => SavedView;
  /** Saves a board. Throws AppError. */
  apply: (step: EditStep) => Promise<void>;
}

export interface EditStep {
  /** A sentence without the full stop; null if the outcome equals the beginning, so that there is nothing to undo. */
  done: string | null;
  /** The board that an undo restores; null for the standard one. */
  before: SavedView | null;
  after: SavedView;
}

interface Edited {
  tile: BoardTile;
  /** The tile at the beginning, or at its last step to undo. */
  start: BoardTile;
  /** Whether the form adds the tile. */
  isNew: boolean;
  /** Whether the user changed something. */
  isTouched: boolean;
  /** Whether the board has been a saved one, and has had the tile. */
  wasSaved: boolean;
  wasThere: boolean;
  /** The board when the form was opened. */
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
  /** Counts the forms: another one is filled in anew. */
  form = $state(0);
  readonly #board: EditedBoard;
  readonly #given: () => readonly BoardTile[];
  /** The step to record if the view is left now. */
  #leaving: EditStep | null = null;

  /** `given`: the tiles of the board without the changes in the form; reactive. */
  constructor(board: EditedBoard, given: () => readonly BoardTile[]) {
    this.#board = board;
    this.#given = given;
  }

  /** The tile in the form at its beginning; null while none is open. */
  get start(): BoardTile | null {
    return this.#edited?.start ?? null;
  }
  /** Id of the tile in the form. */
  get id(): string | null {
    return this.#edited?.tile.id ?? null;
  }

  /** The tiles with the changes in the form. */
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
   * Follows changes of the board elsewhere: the form of a tile that was removed, or of a board that was deleted or reset,
   * closes; an unchanged form shows the tile as it is now. A new tile that an undo of an earlier action removed from the
   * board stays in its form and is saved again.
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

  /** The board with the changes in the form; null if it is stored with them. Throws AppError. */
  unsaved(): SavedView | null {
    const edited = this.#edited;
    if (edited === null || !(edited.isNew || edited.isTouched) || !isComplete(edited.tile)) return null;
    const now = this.#given().find(({ id }) => id === edited.tile.id);
    return now !== undefined && isSameTile(now, edited.tile) ? null : this.#board.view(this.tiles());
  }

  /** The changes in the form as a step to undo; null without changes. Throws AppError. */
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

  /** Notes the step to record if the view is left before its next change. Throws AppError. */
  note(): void {
    this.#leaving = null;
    this.#leaving = this.#step();
  }

  /** Saves the changes as one step to undo; the form stays open. Call before another change of the board. Throws AppError. */
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

  /** Closes the form; its changes are one step to undo. Throws AppError. */
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

  /** The view is left, perhaps because another connection is entered: nothing of the form is lost. Throws AppError. */
  async leave(): Promise<void> {
    const step = this.#leaving;
    this.#leaving = null;
    if (step !== null) await this.#board.apply(step);
  }
}
