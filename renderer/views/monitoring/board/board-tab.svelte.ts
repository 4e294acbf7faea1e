/**
 * The board of a tab. It is a default board until its tiles are changed. From then on it is a saved view: every change
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

/** Parameters that are saved at once when they change, without a step of the history. */
const TIME_PARAMS = ['time', 'compare'] as const;

export class BoardTab {
  readonly tabId: string;
  readonly #tab = $derived.by(() => app.tabs.list.find(({ id }) => id === this.tabId));
  readonly params: Readonly<Record<string, string>> = $derived(this.#tab?.params ?? {});
  /** Id of the board: `model:<id>`, `application:<id>` or `own:<id>`; empty if none is chosen. */
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
  /** Null for a board of the user, whose tiles name their own subjects. */
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
  /** The saved tiles; null for a default board. */
  readonly tiles: readonly BoardTile[] | null = $derived.by(() => {
    const text = this.saved?.params['tiles'] ?? this.params['tiles'];
    return text === undefined ? (this.isOwn ? [] : null) : (readTiles(text) ?? []);
  });

  readonly #connectionId = app.connections.activeId;
  /** Id of the board that was opened from a link, whose tiles are not stored elsewhere. */
  #linked: string | null = null;
  /**
   * Ids of views by board, for boards that are not saved yet, so that all changes before the first save go to the same
   * view.
   */
  readonly #newIds = new Map<string, string>();

  constructor(tabId: string) {
    this.tabId = tabId;
  }

  /** The board with these tiles as a saved view. Throws AppError if the tiles are too long. */
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

  /** Saves changed tiles. `done`: a sentence without the full stop. Throws AppError if they cannot be stored. */
  async change(done: string, tiles: readonly BoardTile[], isQuiet = true): Promise<void> {
    await this.apply({ done, before: this.saved, after: this.view(tiles) }, isQuiet);
  }

  /** Saves a board. Undoing it restores the previous board, or the default one for null. Throws AppError. */
  async apply({ done, before, after }: EditStep, isQuiet = true): Promise<void> {
    let isRepeated = false;
    const steps = {
      undo: () => (before === null ? app.views.remove(after.id) : app.views.put(withSavedTimes(before))),
      redo: () => {
        const view = isRepeated ? withSavedTimes(after) : after;
        isRepeated = true;
        return app.views.put(view);
      },
    };
    // By now the history belongs to another connection, which was entered meanwhile.
    if (done === null || this.#connectionId !== app.connections.activeId) await steps.redo();
    else await app.undoHistory.perform(done, steps, { isQuiet });
  }

  /** Sets the times. A saved board opens with its last times. Throws AppError. */
  async setTimes(change: { time?: string; compare?: string }): Promise<void> {
    app.tabs.update(this.tabId, { params: { ...this.params, ...change } });
    const { saved } = this;
    if (saved !== null) await app.views.put({ ...saved, params: { ...saved.params, ...change } });
  }

  /** Renames the board. `tiles`: the tiles shown now. Throws AppError. */
  async rename(name: string, tiles: readonly BoardTile[]): Promise<void> {
    const after = this.view(tiles, name);
    await this.apply({ done: `Renamed “${this.name}”`, before: this.saved, after });
  }

  /** Saves these tiles as a board of the user. Throws AppError. */
  async copyAs(name: string, tiles: readonly BoardTile[]): Promise<SavedView> {
    const { params, ...content } = this.view(tiles, name);
    const copy = { ...content, id: crypto.randomUUID(), isStarred: false };
    const saved = { ...copy, params: { ...params, board: ownBoardId() } };
    await app.views.put(saved);
    return saved;
  }

  /** Deletes the saved view. The board of a model then is the default one again. Throws AppError. */
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
   * Drops the tiles that the tab was opened with, if a saved board has them. Tiles from a link are needed if its first
   * change is undone.
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

/** The view with the times and the star that are saved now, which undo and redo of its tiles leave unchanged. */
function withSavedTimes(view: SavedView): SavedView {
  const now = app.views.list.find(({ id }) => id === view.id);
  if (now === undefined) return view;
  const { time: _time, compare: _compare, ...params } = view.params;
  const times = TIME_PARAMS.flatMap((key) => {
    const value = now.params[key];
    return value === undefined ? [] : [[key, value] as const];
  });
  return { ...view, isStarred: now.isStarred, params: { ...params, ...Object.fromEntries(times) } };
}
