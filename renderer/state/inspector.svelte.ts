import { untrack } from 'svelte';
import type { FieldWords } from '../lib/inspect.ts';
import type { FieldChange } from '../lib/item-fields.ts';
import { isKey, type PartKeyId } from '../lib/part-keys.ts';

export interface InspectorAction {
  title: string;
  /** Keys that work wherever the record is shown. */
  keyId?: PartKeyId;
  key?: string;
  run: () => void;
}

/** Content of the inspector panel: the record under the cursor of the grid. */
interface Inspected {
  /** Tab of the record; records of other tabs are not shown. */
  tabId: string;
  kind: string;
  title: string;
  record: Record<string, unknown>;
  /** Labels and formats of its fields. */
  words?: FieldWords | undefined;
  /** Unsent changes of the record's fields by the user. */
  changes?: readonly FieldChange[];
  /** The reason why it failed; shown before everything else. */
  problem?: { text: string; field: string } | null;
  /** Action of Enter on the row. */
  action: InspectorAction | null;
  /** Further actions for the record. */
  more?: readonly InspectorAction[];
}

/** One for each of two sides. */
const MAX_SHOWN = 2;

export class InspectorState {
  /** The panel was opened in lists where it is closed until the user asks for it. */
  isReading = $state(false);
  /** Records of the last shown tabs, newest first. */
  #shown = $state.raw<readonly Inspected[]>([]);
  /** Tab whose list has nothing to inspect: the panel is hidden to save space. */
  #emptyTabId: string | null = $state(null);
  /** Tab that shows the panel although its list is empty: it was there before, and hiding it would move the controls. */
  #keptTabId: string | null = $state(null);

  show(inspected: Inspected): void {
    this.#shown = [inspected, ...this.#others(inspected.tabId)].slice(0, MAX_SHOWN);
    if (this.#emptyTabId === inspected.tabId) this.#emptyTabId = null;
  }

  of(tabId: string | null): Inspected | null {
    return this.#shown.find((each) => each.tabId === tabId) ?? null;
  }

  /** Runs the action of the pressed keys on the record of a tab. Returns false if there is none. */
  press(event: KeyboardEvent, tabId: string | null): boolean {
    const action = this.of(tabId)?.more?.find(({ keyId }) => keyId !== undefined && isKey(event, keyId));
    action?.run();
    return action !== undefined;
  }

  /** The list of a tab became empty or has rows again. `keepsRoom`: an empty panel stays. */
  setEmpty(tabId: string, isEmpty: boolean, keepsRoom = false): void {
    if (isEmpty) {
      this.#emptyTabId = tabId;
      this.#keptTabId = keepsRoom ? tabId : null;
    } else if (this.#emptyTabId === tabId) this.#emptyTabId = null;
  }

  isHidden(tabId: string | null): boolean {
    return this.#emptyTabId === tabId && this.#keptTabId !== tabId;
  }

  /** Clears one tab, or all. */
  clear(tabId?: string): void {
    this.#shown = tabId === undefined ? [] : this.#others(tabId);
  }

  /** Untracked, so that effects that show or clear a record do not depend on the previous state. */
  #others(tabId: string): readonly Inspected[] {
    return untrack(() => this.#shown).filter((each) => each.tabId !== tabId);
  }
}
