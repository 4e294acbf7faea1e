import type { FieldWords } from '../lib/inspect.ts';

export interface InspectorAction {
  title: string;
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

export class InspectorState {
  shown = $state.raw<Inspected | null>(null);
  /** Tab whose list has nothing to inspect: the panel would only take its room. */
  emptyTabId: string | null = $state(null);

  show(inspected: Inspected): void {
    this.shown = inspected;
    this.emptyTabId = null;
  }

  /** The list of a tab has no rows, or has some again. */
  setEmpty(tabId: string, isEmpty: boolean): void {
    if (isEmpty) this.emptyTabId = tabId;
    else if (this.emptyTabId === tabId) this.emptyTabId = null;
  }

  clear(): void {
    this.shown = null;
  }
}
