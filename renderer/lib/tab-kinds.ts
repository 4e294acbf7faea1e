/** What a tab is: its kind, and what it is about. Pure. */
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

/** Those whose tabs are called as a record is; others are called as their view, an attribute or a span is. */
export const NAMED_KINDS: ReadonlySet<string> = new Set<TabKind>([
  'dataset',
  'build',
  'upload',
  'alert-rule',
  'chart',
  'resource',
]);

export interface Tab extends PlacedTab {
  id: string;
  kind: TabKind;
  title: string;
  /** What the view shows: ids, names, filters. Kept between starts. */
  params: Record<string, string>;
  /** It stays open however many tabs there are. */
  isPinned?: boolean;
  /** It was opened from the sidebar and not worked in since: it makes room where too many tabs are open. */
  isPassing?: boolean;
}

/** Kinds of which one tab is enough. */
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
 * Parameters that say what a tab is about, where the rest is only how it is shown. All parameters count where a kind
 * is not here, and where one of these is missing, as in the form of a new record.
 */
const IDENTITY: Partial<Record<TabKind, readonly string[]>> = {
  values: ['applicationId', 'entityType', 'name'],
  dataset: ['datasetId'],
  trace: ['scope', 'scope_id'],
  build: ['build'],
  upload: ['job'],
  'alert-rule': ['alertId'],
  chart: ['chartId'],
  resources: ['resource'],
  resource: ['resource', 'id'],
};
/** The parameter that leads from the list of a section to something in it. */
export const BELOW: Partial<Record<TabKind, string>> = { catalog: 'applicationId' };
/** A tab as it was kept. */
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

/** Are parameters `a` of a tab about what `b` asks for? */
export function isAboutSame(kind: TabKind, a: Record<string, string>, b: Record<string, string>): boolean {
  if (SINGLE.has(kind)) return true;
  const identity = IDENTITY[kind];
  if (identity?.every((key) => b[key] !== undefined) === true)
    return identity.every((key) => a[key] === b[key]);
  const keys = Object.keys(b);
  return keys.length === Object.keys(a).length && keys.every((key) => a[key] === b[key]);
}

/** Names what a tab is about, whichever way it is shown: the same text for the same thing. */
export function aboutOf({ kind, params }: Pick<Tab, 'kind' | 'params'>): string {
  const below = BELOW[kind];
  const keys =
    IDENTITY[kind] ?? (below === undefined ? (SINGLE.has(kind) ? [] : Object.keys(params)) : [below]);
  return JSON.stringify([kind, ...keys.toSorted().map((key) => params[key] ?? null)]);
}
