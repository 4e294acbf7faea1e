import { untrack } from 'svelte';
import type { FieldWords } from '../lib/inspect.ts';
import type { FieldChange } from '../lib/item-fields.ts';
import { isKey, type PartKeyId } from '../lib/part-keys.ts';

export interface InspectorAction {
  title: string;
  /** Key of the action, which works wherever the record is shown. */
  keyId?: PartKeyId;
  key?: string;
  run: () => void;
}

/** Content of the inspector panel: the record under the cursor of the grid. */
interface Inspected {
  /** Tab of the record. Only records of visible tabs are shown. */
  tabId: string;
  kind: string;
  title: string;
  record: Record<string, unknown>;
  /** Labels and formats for the fields of the record. */
  words: FieldWords;
  /** Unsent changes of the record's fields by the user. */
  changes?: readonly FieldChange[];
  /** The reason why the record (e.g. a span) failed, shown before everything else. */
  problem?: { text: string; field: string } | null;
  /** The action that Enter performs on the row. */
  action: InspectorAction | null;
  /** Further actions for the record. */
  more?: readonly InspectorAction[];
}

/** Maximum number of records: one for each side of a split window. */
const MAX_SHOWN = 2;

export class InspectorState {
  /** Whether the user opened the panel in lists where it is closed by default. */
  isReading = $state(false);
  /** Records of the tabs shown last, newest first. */
  #shown = $state.raw<readonly Inspected[]>([]);
  /** A tab whose list has nothing to inspect, so that the panel is hidden to save space. */
  #emptyTabId: string | null = $state(null);
  /**
   * A tab that shows the panel although its list is empty: the panel was there before, and hiding it would move the
   * controls.
   */
  #keptTabId: string | null = $state(null);
  #firstStep: string | null = $state(null);

  show(inspected: Inspected): void {
    this.#shown = [inspected, ...this.#others(inspected.tabId)].slice(0, MAX_SHOWN);
    if (this.#emptyTabId === inspected.tabId) this.#emptyTabId = null;
  }

  of(tabId: string | null): Inspected | null {
    return this.#shown.find((each) => each.tabId === tabId) ?? null;
  }

  /** Runs the action of the pressed keys on the record of a tab. Returns false if no action has these keys. */
  press(event: KeyboardEvent, tabId: string | null): boolean {
    const action = this.of(tabId)?.more?.find(({ keyId }) => keyId !== undefined && isKey(event, keyId));
    action?.run();
    return action !== undefined;
  }

  /**
   * To be called when the list of a tab becomes empty or has rows again. `keepsRoom`: the panel stays even if it is
   * empty. `firstStep`: how to get the first record.
   */
  setEmpty(tabId: string, isEmpty: boolean, keepsRoom = false, firstStep: string | null = null): void {
    if (isEmpty) {
      this.#firstStep = firstStep;
      this.#emptyTabId = tabId;
      this.#keptTabId = keepsRoom ? tabId : null;
    } else if (this.#emptyTabId === tabId) this.#emptyTabId = null;
  }

  /** How to get the first record of a tab whose list is empty; null if it is not, or nothing is known. */
  firstStep(tabId: string | null): string | null {
    return this.#emptyTabId === tabId ? this.#firstStep : null;
  }

  /** To be called when a tab shows another list, for which the first step does not apply. */
  clearFirstStep(tabId: string): void {
    if (this.#emptyTabId === tabId) this.#firstStep = null;
  }

  isHidden(tabId: string | null): boolean {
    return this.#emptyTabId === tabId && this.#keptTabId !== tabId;
  }

  /** Removes the record of one tab, or of all. */
  clear(tabId?: string): void {
    this.#shown = tabId === undefined ? [] : this.#others(tabId);
  }

  /** Untracked, so that effects that set or remove a record do not depend on the previous records. */
  #others(tabId: string): readonly Inspected[] {
    return untrack(() => this.#shown).filter((each) => each.tabId !== tabId);
  }
}
