/** Kind and subject of a tab. Pure. */
import type { PlacedTab, TabGroup } from './tab-groups.ts';

/** A kind of tab. Every view has one. */
interface TabRow {
  /** Whether at most one tab of the kind can be open. */
  isSingle?: true;
  /**
   * Parameters that identify the subject of a tab; the others only affect its display. If the list is absent, or a tab
   * lacks a parameter in it (such as the form of a new record), all parameters identify the subject.
   */
  identity?: readonly string[];
  /** Whether any tab of the kind can show a place, whatever the subject of the tab. */
  isAnySubject?: true;
  /** Whether tabs are named after a record. Other tabs are named after their view, an attribute or a span. */
  isNamed?: true;
  /**
   * Whether a tab shows a single thing, so that it is listed among the recent ones. The lists of sections can be
   * reached by one click anyway.
   */
  isThing?: true;
  /** Whether the inspector opens only on request, because the rows already show the main content. */
  isInspectedOnRequest?: true;
  /** Names of parts of the view that have no row cursor. */
  partsWithoutRows?: readonly string[];
  /** Parameter that distinguishes an entry of a section from the section's list. */
  below?: string;
  /** Titles that earlier versions gave, with their current titles; stored tabs can still have them. */
  renamed?: Readonly<Record<string, string>>;
}

const TABS = {
  start: { isSingle: true, renamed: { Start: 'Home' } },
  catalog: { isSingle: true, isInspectedOnRequest: true, below: 'applicationId' },
  values: { identity: ['applicationId', 'entityType', 'name'], isThing: true, isInspectedOnRequest: true },
  attributes: { isSingle: true, isInspectedOnRequest: true },
  datasets: { isSingle: true, isInspectedOnRequest: true },
  dataset: {
    identity: ['datasetId'],
    isNamed: true,
    isThing: true,
    partsWithoutRows: ['schema', 'details', 'coverage', 'scores'],
  },
  /** Identified by the subject only, so that the tab stays the same if runs are left out or the baseline changes. */
  comparison: { identity: ['subject'], isThing: true },
  'item-file': {},
  spans: { isSingle: true, isInspectedOnRequest: true, partsWithoutRows: ['attributes'] },
  trace: { identity: ['scope', 'scope_id'], isThing: true, partsWithoutRows: ['attributes'] },
  builds: { isSingle: true, renamed: { 'Datasets from spans': 'Drafts', 'From spans': 'Drafts' } },
  build: { identity: ['build'], isNamed: true, isThing: true },
  uploads: { isSingle: true },
  upload: { identity: ['job'], isNamed: true },
  deletions: { isSingle: true, renamed: { 'Delete events': 'Deletions' } },
  sql: { isSingle: true },
  'alert-rules': { isSingle: true, isInspectedOnRequest: true },
  'alert-rule': {
    identity: ['alertId'],
    isNamed: true,
    isThing: true,
    partsWithoutRows: ['notification', 'fields'],
  },
  'alert-rule-form': {},
  board: { identity: ['board'], isAnySubject: true, isNamed: true },
  charts: { isSingle: true },
  chart: { identity: ['chartId'], isNamed: true, isThing: true },
  resources: { identity: ['resource'], isInspectedOnRequest: true, renamed: { Jobs: 'Service tasks' } },
  resource: {
    identity: ['resource', 'id'],
    isNamed: true,
    isThing: true,
    isInspectedOnRequest: true,
    partsWithoutRows: ['details'],
  },
  jobs: { isSingle: true, renamed: { 'My jobs': 'Jobs' } },
  changes: { isSingle: true },
  outbox: { isSingle: true },
  search: { isSingle: true },
  offline: { isSingle: true, renamed: { Offline: 'Offline library' } },
  traffic: { isSingle: true, renamed: { Traffic: 'Requests' } },
  health: { isSingle: true, renamed: { Health: 'Diagnostics' } },
  settings: { isSingle: true },
  connection: {},
} as const satisfies Record<string, TabRow>;
export type TabKind = keyof typeof TABS;
export const TAB_KINDS: readonly TabKind[] = Object.keys(TABS).filter(isTabKind);

function isTabKind(kind: string): kind is TabKind {
  return Object.hasOwn(TABS, kind);
}

export const tabRow = (kind: TabKind): TabRow => TABS[kind];

export interface Tab extends PlacedTab {
  id: string;
  kind: TabKind;
  title: string;
  /** Parameters of the view, such as ids, names and filters. They are stored between starts. */
  params: Record<string, string>;
  /** Whether the tab is pinned, so that it is never closed to make room. */
  isPinned?: boolean;
  /** Whether the tab is a preview: opened from the sidebar and unchanged since. The next opened place replaces it. */
  isPassing?: boolean;
}

/** A closed tab, with the data to restore its position. */
export interface ClosedTab {
  tab: Tab;
  /** Its index among all tabs. */
  at: number;
  group: TabGroup | null;
}

/** Whether the value is a stored tab. */
export function isTab(value: unknown): value is Tab {
  if (typeof value !== 'object' || value === null) return false;
  const { id, kind, title, params, isPinned, isPassing, isRight, groupId } = value as Record<string, unknown>;
  return (
    typeof id === 'string' &&
    typeof title === 'string' &&
    (isPinned === undefined || typeof isPinned === 'boolean') &&
    (isPassing === undefined || typeof isPassing === 'boolean') &&
    (isRight === undefined || typeof isRight === 'boolean') &&
    (groupId === undefined || typeof groupId === 'string') &&
    TAB_KINDS.some((each) => each === kind) &&
    typeof params === 'object' &&
    params !== null &&
    Object.values(params).every((each) => typeof each === 'string')
  );
}

/** The tab with the current title, if it has one of an earlier version. */
export function withCurrentTitle(tab: Tab): Tab {
  const title = tabRow(tab.kind).renamed?.[tab.title];
  return title === undefined ? tab : { ...tab, title };
}

/** Whether the parameters `a` of a tab have the same subject as `b`. */
export function isAboutSame(kind: TabKind, a: Record<string, string>, b: Record<string, string>): boolean {
  const { isSingle, identity, isAnySubject } = tabRow(kind);
  if (isSingle === true) return true;
  if (identity?.every((key) => b[key] !== undefined) === true)
    return identity.every((key) => a[key] === b[key]);
  const keys = Object.keys(b);
  if (keys.length === 0 && isAnySubject === true) return true;
  return keys.length === Object.keys(a).length && keys.every((key) => a[key] === b[key]);
}

/** A text that identifies the subject of a tab regardless of its display: equal for equal subjects. */
export function aboutOf({ kind, params }: Pick<Tab, 'kind' | 'params'>): string {
  const keys = subjectKeys(kind, params);
  return JSON.stringify([kind, ...keys.toSorted().map((key) => params[key] ?? null)]);
}

function subjectKeys(kind: TabKind, params: Record<string, string>): readonly string[] {
  const { identity, below, isSingle } = tabRow(kind);
  if (below !== undefined) return [below];
  if (isSingle === true) return [];
  return identity?.every((key) => params[key] !== undefined) === true ? identity : Object.keys(params);
}
