/**
 * Views that the user saved by name, per connection: a tab with its filter, columns, sort and time range, or
 * an SQL query. Stored with the layout and deleted with the connection.
 */
import { AppError } from '../../electron/shared/errors.ts';
import {
  MAX_VIEWS,
  type SavedView,
  VIEWS_KEY,
  type ViewContent,
  type ViewGrid,
  viewsOf,
} from '../../electron/shared/saved-view.ts';
import { presetOf, presetRange, rangeToParams } from '../lib/span-range.ts';
import type { TabsState } from './tabs.svelte.ts';
import type { ViewStateStorage } from './view-state-storage.ts';

/** A dialog about views. */
type ViewDialog =
  | { about: 'save'; content: ViewContent; name: string }
  | { about: 'list' }
  | { about: 'link'; text: string };

interface HeldViews {
  readonly connectionId: string | null;
  list: readonly SavedView[];
}

export class SavedViewsState {
  /** Starred first, then by name. */
  list = $state.raw<readonly SavedView[]>([]);
  dialog = $state.raw<ViewDialog | null>(null);
  /** The grid arrangement to apply when the given tab shows its grid. */
  pending = $state.raw<{ tabId: string; grid: ViewGrid } | null>(null);
  /** Called before a saved query replaces the SQL of an open tab. */
  onreplace: (tabId: string) => void = () => undefined;
  readonly #keep: ViewStateStorage;
  /** The views of one connection. Another connection may have been entered since, whose views are not loaded yet. */
  #held: HeldViews = { connectionId: null, list: [] };
  /** Changes are written one after the other, as each starts from the result of the one before. */
  #turn: Promise<unknown> = Promise.resolve();
  readonly #tabs: TabsState;

  constructor(keep: ViewStateStorage, tabs: TabsState) {
    this.#keep = keep;
    this.#tabs = tabs;
  }

  /** Loads the views of the entered connection. Unreadable ones are ignored. */
  load(): void {
    this.pending = null;
    const { connectionId } = this.#keep;
    this.#held = { connectionId, list: inOrder(viewsOf(this.#keep.get(VIEWS_KEY))) };
    this.list = this.#held.list;
  }

  named(name: string, kind: ViewContent['kind']): SavedView | undefined {
    return this.list.find((each) => each.name === name.trim() && each.kind === kind);
  }

  /** Overwrites an existing view of the same kind and name. Throws AppError if it cannot be stored. */
  async save(name: string, content: ViewContent, nowMs: number): Promise<SavedView> {
    const same = this.named(name, content.kind);
    const view = {
      ...content,
      id: same?.id ?? crypto.randomUUID(),
      name: name.trim(),
      isStarred: same?.isStarred ?? false,
      savedAtMs: nowMs,
    };
    await this.put(view);
    return view;
  }

  /** Restores a changed or removed view. Throws AppError if it cannot be stored or exceeds the limit. */
  async put(view: SavedView): Promise<void> {
    await this.#write((list) => {
      const others = list.filter(({ id }) => id !== view.id);
      if (others.length >= MAX_VIEWS)
        throw new AppError(
          'INVALID_ARGUMENT',
          `${MAX_VIEWS} views are saved, the most that a connection can have. Delete one, then save this one.`,
        );
      return [view, ...others];
    });
  }

  /** Throws AppError if the change cannot be stored. */
  async remove(id: string): Promise<void> {
    await this.#write((list) => list.filter((each) => each.id !== id));
  }

  /** Opens the tab as it was saved. A range such as *last 24 hours* ends now. */
  open({ kind, title, params, grid }: ViewContent, nowMs: number): void {
    const preset = presetOf(params['range']);
    const range = preset === null ? {} : rangeToParams(presetRange(preset, nowMs));
    const wanted = { ...params, ...range };
    const tab = this.#tabs.open(kind, title, wanted);
    if (kind === 'sql' && tab.params['sql'] !== wanted['sql']) this.onreplace(tab.id);
    this.#tabs.update(tab.id, { title, params: wanted });
    this.pending = grid === null ? null : { tabId: tab.id, grid };
  }

  /** The pending arrangement for this list of this tab; it is returned only once. */
  take(tabId: string, list: string): ViewGrid | null {
    const { pending } = this;
    if (pending === null || pending.tabId !== tabId || pending.grid.list !== list) return null;
    this.pending = null;
    return pending.grid;
  }

  /**
   * Changes the views of the connection that is loaded now, even if another one is loaded before the change is written.
   */
  #write(change: (list: readonly SavedView[]) => readonly SavedView[]): Promise<void> {
    const held = this.#held;
    const write = async () => {
      const ordered = inOrder(change(held.list));
      await this.#keep.save(VIEWS_KEY, ordered, held.connectionId);
      held.list = ordered;
      if (this.#held === held) this.list = ordered;
    };
    const done = this.#turn.then(write);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

function inOrder(list: readonly SavedView[]): readonly SavedView[] {
  return list.toSorted(
    (a, b) => Number(b.isStarred) - Number(a.isStarred) || a.name.localeCompare(b.name, 'en'),
  );
}
