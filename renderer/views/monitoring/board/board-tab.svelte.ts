/**
 * The board of a tab. A board is standard until its tiles are changed; from then on it is a saved view, and every change
 * of its tiles is saved at once and can be undone.
 */
import { untrack } from 'svelte';
import { DEFAULT_LABEL } from '../../../../electron/shared/board-times.ts';
import type { Subject } from '../../../../electron/shared/chart-query.ts';
import { AppError } from '../../../../electron/shared/errors.ts';
import { MAX_VIEW_CHARACTERS, type SavedView } from '../../../../electron/shared/saved-view.ts';
import { type BoardTile, readTiles, tilesText } from '../../../lib/monitoring/board.ts';
import { app } from '../../../state/app.svelte.ts';
import { clock } from '../../../state/clock.svelte.ts';
import { BOARD_PARAMS, boardTitle, isOwnBoard, ownBoardId } from '../../parts/board-routes.ts';
import type { EditStep } from './tile-edit.svelte.ts';

export class BoardTab {
  readonly tabId: string;
  readonly #tab = $derived.by(() => app.tabs.list.find(({ id }) => id === this.tabId));
  readonly params: Readonly<Record<string, string>> = $derived(this.#tab?.params ?? {});
  /** `model:<id>`, `application:<id>` or `own:<id>`; empty while none is chosen. */
  readonly id = $derived(this.params['board'] ?? '');
  readonly saved: SavedView | null = $derived(
    app.views.list.find(({ kind, params }) => kind === 'board' && params['board'] === this.id) ?? null,
  );
  /** Name of the model or application. */
  readonly about = $derived(this.params['about'] ?? this.saved?.params['about'] ?? '');
  readonly isOwn = $derived(isOwnBoard(this.id));
  readonly name = $derived(
    this.saved?.name ?? (this.isOwn ? this.#tab?.title : undefined) ?? boardTitle(this.about),
  );
  /** Null for an own board, whose tiles name their subjects. */
  readonly subject: Subject | null = $derived.by(() => {
    const [kind, id = ''] = this.id.split(/:(.*)/s);
    if (kind === 'model') {
      const projectId = this.params['projectId'] ?? this.saved?.params['projectId'] ?? '';
      return { kind, modelId: id, projectId };
    }
    return kind === 'application' ? { kind, applicationId: id } : null;
  });
  readonly times = $derived({
    label: this.params['time'] ?? this.saved?.params['time'] ?? DEFAULT_LABEL,
    compare: this.params['compare'] ?? this.saved?.params['compare'] ?? '',
  });
  /** Null for a standard board. */
  readonly tiles: readonly BoardTile[] | null = $derived.by(() => {
    const text = this.saved?.params['tiles'] ?? this.params['tiles'];
    return text === undefined ? (this.isOwn ? [] : null) : (readTiles(text) ?? []);
  });

  readonly #connectionId = app.connections.activeId;
  /** The board that was opened from a link, with tiles that are stored nowhere else. */
  #linked: string | null = null;
  /** By board: id of the view of a board that is not saved yet. Changes before the first is stored are of one view. */
  readonly #newIds = new Map<string, string>();

  constructor(tabId: string) {
    this.tabId = tabId;
  }

  /** The board as a saved view with these tiles. Throws AppError if they are too long. */
  view(tiles: readonly BoardTile[], name = this.name): SavedView {
    const { saved } = this;
    const text = tilesText(tiles);
    if (text.length > MAX_VIEW_CHARACTERS)
      throw new AppError(
        'INVALID_ARGUMENT',
        'The charts of this board are too long to be saved together. Put some of them on another board.',
      );
    const kept = BOARD_PARAMS.flatMap((key) => {
      const value = this.params[key] ?? saved?.params[key];
      return value === undefined || value === '' ? [] : [[key, value] as const];
    });
    return {
      ...{
        id: this.#viewId(),
        isStarred: saved?.isStarred ?? false,
        savedAtMs: untrack(() => clock.nowMs),
      },
      ...{ kind: 'board', title: name, name, grid: null },
      params: { ...Object.fromEntries(kept), board: this.id, tiles: text },
    };
  }

  #viewId(): string {
    const { id, saved } = this;
    const viewId = saved?.id ?? this.#newIds.get(id) ?? crypto.randomUUID();
    if (saved === null) this.#newIds.set(id, viewId);
    else this.#newIds.delete(id);
    return viewId;
  }

  /** Saves other tiles. `done`: a sentence without the full stop. Throws AppError if they cannot be stored. */
  async change(done: string, tiles: readonly BoardTile[], isQuiet = true): Promise<void> {
    await this.apply({ done, before: this.saved, after: this.view(tiles) }, isQuiet);
  }

  /** Saves a board; an undo restores the one before, or the standard one for null. Throws AppError. */
  async apply({ done, before, after }: EditStep, isQuiet = true): Promise<void> {
    const steps = {
      undo: () => (before === null ? app.views.remove(after.id) : app.views.put(before)),
      redo: () => app.views.put(after),
    };
    // The history belongs to the connection that was entered since.
    if (done === null || this.#connectionId !== app.connections.activeId) await steps.redo();
    else await app.undoHistory.perform(done, steps, { isQuiet });
  }

  /** A saved board opens with its last times. Throws AppError. */
  async setTimes(change: { time?: string; compare?: string }): Promise<void> {
    app.tabs.update(this.tabId, { params: { ...this.params, ...change } });
    const { saved } = this;
    if (saved !== null) await app.views.put({ ...saved, params: { ...saved.params, ...change } });
  }

  /** `tiles`: those shown now. Throws AppError. */
  async rename(name: string, tiles: readonly BoardTile[]): Promise<void> {
    const after = this.view(tiles, name);
    await this.apply({ done: `Renamed “${this.name}”`, before: this.saved, after });
  }

  /** An own board with these tiles, saved. Throws AppError. */
  async copyAs(name: string, tiles: readonly BoardTile[]): Promise<SavedView> {
    const { params, ...content } = this.view(tiles, name);
    const copy = { ...content, id: crypto.randomUUID(), isStarred: false };
    const saved = { ...copy, params: { ...params, board: ownBoardId() } };
    await app.views.put(saved);
    return saved;
  }

  /** Deletes the saved view: a board of a model is the standard one again. Throws AppError. */
  async remove(): Promise<void> {
    const { saved } = this;
    if (saved === null) return;
    const { tiles } = this.params;
    const setTiles = (to: string | undefined) => {
      const { tiles: _, ...rest } = this.params;
      if (this.id === saved.params['board'])
        app.tabs.update(this.tabId, { params: { ...rest, ...(to === undefined ? {} : { tiles: to }) } });
    };
    const redo = async () => {
      await app.views.remove(saved.id);
      setTiles(undefined);
    };
    const undo = async () => {
      await app.views.put(saved);
      setTiles(tiles);
    };
    const done = this.isOwn ? `Deleted “${saved.name}”` : `“${saved.name}” is the standard board again`;
    await app.undoHistory.perform(done, { undo, redo });
  }

  /**
   * Forgets the tiles that the tab was opened with if they are those of a saved board. Those of a link are needed again
   * when its first change is undone.
   */
  dropCopiedTiles(): void {
    const { tiles } = this.params;
    if (tiles === undefined) return;
    if (this.saved === null) this.#linked = this.id;
    else if (this.#linked !== this.id) {
      const { tiles: _, ...rest } = this.params;
      app.tabs.update(this.tabId, { params: rest });
    }
  }
}
