/** Kind and subject of a tab. Pure. */
import type { PlacedTab } from './tab-groups.ts';

export const TAB_KINDS = [
  'start',
  'catalog',
  'values',
  'attributes',
  'datasets',
  'dataset',
  'item-file',
  'spans',
  'trace',
  'builds',
  'build',
  'uploads',
  'upload',
  'deletions',
  'sql',
  'alert-rules',
  'alert-rule',
  'alert-rule-form',
  'board',
  'charts',
  'chart',
  'resources',
  'resource',
  'jobs',
  'changes',
  'outbox',
  'search',
  'offline',
  'traffic',
  'health',
  'settings',
  'connection',
] as const;
export type TabKind = (typeof TAB_KINDS)[number];

/** Kinds whose tabs are named after a record; others are named after their view, an attribute or a span. */
export const NAMED_KINDS: ReadonlySet<string> = new Set<TabKind>([
  'dataset',
  'build',
  'upload',
  'alert-rule',
  'board',
  'chart',
  'resource',
]);

export interface Tab extends PlacedTab {
  id: string;
  kind: TabKind;
  title: string;
  /** Parameters of the view: ids, names, filters. Stored between starts. */
  params: Record<string, string>;
  /** A pinned tab is never closed to make room. */
  isPinned?: boolean;
  /** A preview: opened from the sidebar and not changed since. The next place replaces it. */
  isPassing?: boolean;
}

/** Kinds that can have only one open tab. */
const SINGLE: ReadonlySet<TabKind> = new Set([
  'start',
  'catalog',
  'attributes',
  'datasets',
  'spans',
  'builds',
  'uploads',
  'deletions',
  'sql',
  'alert-rules',
  'charts',
  'jobs',
  'changes',
  'outbox',
  'search',
  'offline',
  'traffic',
  'health',
  'settings',
]);
/**
 * Parameters that identify the subject of a tab; the others only affect its display. All parameters count for
 * kinds that are not listed, and if a listed one is missing, as in the form of a new record.
 */
const IDENTITY: Partial<Record<TabKind, readonly string[]>> = {
  values: ['applicationId', 'entityType', 'name'],
  dataset: ['datasetId'],
  trace: ['scope', 'scope_id'],
  build: ['build'],
  upload: ['job'],
  'alert-rule': ['alertId'],
  board: ['board'],
  chart: ['chartId'],
  resources: ['resource'],
  resource: ['resource', 'id'],
};
/** Kinds whose place can be any of their tabs, whatever its subject. */
const ANY_SUBJECT: ReadonlySet<TabKind> = new Set(['board']);
/** The parameter that leads from the list of a section to one of its entries. */
export const BELOW: Partial<Record<TabKind, string>> = { catalog: 'applicationId' };
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

/** Titles of earlier versions, which stored tabs still have, and the current ones. */
const RENAMED: Partial<Record<TabKind, Readonly<Record<string, string>>>> = {
  start: { Start: 'Home' },
  offline: { Offline: 'Offline library' },
  traffic: { Traffic: 'Requests' },
  health: { Health: 'Diagnostics' },
  jobs: { 'My jobs': 'Jobs' },
  resources: { Jobs: 'Service tasks' },
  builds: { 'Datasets from spans': 'Drafts', 'From spans': 'Drafts' },
  deletions: { 'Delete events': 'Deletions' },
};

/** The tab with its current title, if an earlier version stored it. */
export function withCurrentTitle(tab: Tab): Tab {
  const title = RENAMED[tab.kind]?.[tab.title];
  return title === undefined ? tab : { ...tab, title };
}

/** Whether the parameters `a` of a tab have the same subject as `b`. */
export function isAboutSame(kind: TabKind, a: Record<string, string>, b: Record<string, string>): boolean {
  if (SINGLE.has(kind)) return true;
  const identity = IDENTITY[kind];
  if (identity?.every((key) => b[key] !== undefined) === true)
    return identity.every((key) => a[key] === b[key]);
  const keys = Object.keys(b);
  if (keys.length === 0 && ANY_SUBJECT.has(kind)) return true;
  return keys.length === Object.keys(a).length && keys.every((key) => a[key] === b[key]);
}

/** Identifies the subject of a tab regardless of its display: equal texts for equal subjects. */
export function aboutOf({ kind, params }: Pick<Tab, 'kind' | 'params'>): string {
  const below = BELOW[kind];
  const keys =
    IDENTITY[kind] ?? (below === undefined ? (SINGLE.has(kind) ? [] : Object.keys(params)) : [below]);
  return JSON.stringify([kind, ...keys.toSorted().map((key) => params[key] ?? null)]);
}
