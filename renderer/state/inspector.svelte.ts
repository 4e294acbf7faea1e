import { untrack } from 'svelte';
import type { FieldWords } from '../lib/inspect.ts';
import { isKey, type PartKeyId } from '../lib/part-keys.ts';

export interface InspectorAction {
  title: string;
  /** Keys that do the same wherever the record is looked at, and how they are read. */
  keyId?: PartKeyId;
  key?: string;
  run: () => void;
}

/** What the panel at the right shows: the record under the grid's cursor. */
interface Inspected {
  /** Tab the record belongs to; another tab's record is not shown. */
  tabId: string;
  kind: string;
  title: string;
  record: Record<string, unknown>;
  /** How its fields are named and written. */
  words?: FieldWords | undefined;
  /** What Enter does on the row. */
  action: InspectorAction | null;
  /** Further ways on from it. */
  more?: readonly InspectorAction[];
}

/** Of two sides each has its own. */
const MOST_SHOWN = 2;

export class InspectorState {
  /** Of the tabs that were shown last, the newest first. */
  #shown = $state.raw<readonly Inspected[]>([]);
  /** Tab whose list has nothing to inspect: the panel would only take its room. */
  emptyTabId: string | null = $state(null);

  show(inspected: Inspected): void {
    this.#shown = [inspected, ...this.#others(inspected.tabId)].slice(0, MOST_SHOWN);
    if (this.emptyTabId === inspected.tabId) this.emptyTabId = null;
  }

  of(tabId: string | null): Inspected | null {
    return this.#shown.find((each) => each.tabId === tabId) ?? null;
  }

  /** Does what the pressed keys stand for on the record of a tab. False where that is nothing. */
  press(event: KeyboardEvent, tabId: string | null): boolean {
    const action = this.of(tabId)?.more?.find(({ keyId }) => keyId !== undefined && isKey(event, keyId));
    action?.run();
    return action !== undefined;
  }

  /** The list of a tab has no rows, or has some again. */
  setEmpty(tabId: string, isEmpty: boolean): void {
    if (isEmpty) this.emptyTabId = tabId;
    else if (this.emptyTabId === tabId) this.emptyTabId = null;
  }

  /** Of one tab, or of all. */
  clear(tabId?: string): void {
    this.#shown = tabId === undefined ? [] : this.#others(tabId);
  }

  /** Whoever shows or clears something in an effect does not depend on what was shown. */
  #others(tabId: string): readonly Inspected[] {
    return untrack(() => this.#shown).filter((each) => each.tabId !== tabId);
  }
}
