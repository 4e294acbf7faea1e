export interface InspectorAction {
  title: string;
  run: () => void;
}

/** What the panel at the right shows: the record under the grid's cursor. */
export interface Inspected {
  /** Tab the record belongs to; another tab's record is not shown. */
  tabId: string;
  kind: string;
  title: string;
  record: Record<string, unknown>;
  /** What Enter does on the row. */
  action: InspectorAction | null;
  /** Further ways on from it. */
  more?: readonly InspectorAction[];
}

export class InspectorState {
  shown = $state.raw<Inspected | null>(null);

  show(inspected: Inspected): void {
    this.shown = inspected;
  }

  clear(): void {
    this.shown = null;
  }
}
