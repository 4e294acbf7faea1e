/** All kinds of tabs in one table: view, icon and section. The sidebar is built from it. */
import { app } from '../state/app.svelte.ts';
import type { Tab, TabKind } from '../state/tabs.svelte.ts';
import AttributesView from './AttributesView.svelte';
import CatalogView from './CatalogView.svelte';
import ConnectView from './ConnectView.svelte';
import DatasetsView from './DatasetsView.svelte';
import { first, LazyPart, type LazyView, lazy } from './lazy-views.svelte.ts';
import ResourcesView from './resources/ResourcesView.svelte';
import ResourceView from './resources/ResourceView.svelte';
import { findResource, LISTED } from './resources/registry.ts';
import SettingsView from './settings/SettingsView.svelte';
import StartView from './start/StartView.svelte';
import type { Icon } from './tab-icons.ts';
import ValuesView from './ValuesView.svelte';

interface ViewRow {
  view: LazyView;
  /** Id of the highlighted section while the tab is active; null for none. */
  section: string | null | ((tab: Tab) => string);
  /** Whether its rows can be shown in the inspector. */
  hasInspector: boolean;
}

/**
 * Code that the first view does not need is in separate files, so that the window appears sooner, also after
 * a crash of its process. It is loaded when one of its views is shown, or when the window is ready and idle.
 */
const monitoring = new LazyPart(() => import('./lazy-monitoring.ts'));
const spans = new LazyPart(() => import('./lazy-spans.ts'));
const tools = new LazyPart(() => import('./lazy-tools.ts'));
const uploads = new LazyPart(() => import('./lazy-uploads.ts'));
export const LAZY_PARTS = [spans, tools, monitoring, uploads] as const;

const inspected = { hasInspector: true } as const;
const plain = { hasInspector: false } as const;
/** A resource has its own section. */
const ofResource = {
  section: (tab: Tab): string =>
    findResource(tab.params['resource'])?.section ?? tab.params['resource'] ?? '',
};

export const VIEWS: Readonly<Record<TabKind, ViewRow>> = {
  start: { view: first(StartView), section: 'start', ...plain },
  catalog: { view: first(CatalogView), section: 'catalog', ...inspected },
  values: { view: first(ValuesView), section: 'catalog', ...inspected },
  attributes: { view: first(AttributesView), section: 'attributes', ...inspected },
  datasets: { view: first(DatasetsView), section: 'datasets', ...inspected },
  dataset: { view: lazy(spans, (part) => part.DatasetView), section: 'datasets', ...inspected },
  'item-file': { view: lazy(spans, (part) => part.ItemFileView), section: 'datasets', ...plain },
  spans: { view: lazy(spans, (part) => part.SpansView), section: 'spans', ...inspected },
  trace: { view: lazy(spans, (part) => part.ScopeView), section: 'spans', ...inspected },
  builds: { view: lazy(spans, (part) => part.BuildsView), section: 'spans', ...plain },
  build: { view: lazy(spans, (part) => part.BuildView), section: 'spans', ...plain },
  uploads: { view: lazy(uploads, (part) => part.UploadsView), section: 'uploads', ...plain },
  upload: { view: lazy(uploads, (part) => part.UploadView), section: 'uploads', ...plain },
  deletions: { view: lazy(uploads, (part) => part.DeleteEventsView), section: 'uploads', ...plain },
  sql: { view: lazy(tools, (part) => part.SqlView), section: 'sql', ...plain },
  'alert-rules': {
    view: lazy(monitoring, (part) => part.AlertRulesView),
    section: 'alert-rules',
    ...inspected,
  },
  'alert-rule': {
    view: lazy(monitoring, (part) => part.AlertRuleView),
    section: 'alert-rules',
    ...inspected,
  },
  'alert-rule-form': {
    view: lazy(monitoring, (part) => part.AlertRuleFormView),
    section: 'alert-rules',
    ...plain,
  },
  charts: { view: lazy(monitoring, (part) => part.ChartsView), section: 'charts', ...plain },
  chart: { view: lazy(monitoring, (part) => part.ChartView), section: 'charts', ...plain },
  resources: { view: first(ResourcesView), ...ofResource, ...inspected },
  resource: { view: first(ResourceView), ...ofResource, ...inspected },
  jobs: { view: lazy(tools, (part) => part.JobsView), section: 'my-jobs', ...plain },
  changes: { view: lazy(tools, (part) => part.ChangesView), section: 'changes', ...plain },
  outbox: { view: lazy(tools, (part) => part.OutboxView), section: 'outbox', ...plain },
  search: { view: lazy(tools, (part) => part.SearchView), section: 'search', ...inspected },
  offline: { view: lazy(tools, (part) => part.OfflineView), section: 'offline', ...plain },
  traffic: { view: lazy(tools, (part) => part.TrafficView), section: 'traffic', ...plain },
  settings: { view: first(SettingsView), section: 'settings', ...plain },
  health: { view: lazy(tools, (part) => part.HealthView), section: 'health', ...plain },
  connection: { view: first(ConnectView), section: null, ...plain },
};

/** A sidebar line and its target. */
interface Section {
  id: string;
  title: string;
  kind: TabKind;
  params?: Record<string, string>;
  /** Overrides the icon of its kind. */
  icon?: Icon;
}

interface SectionGroup {
  /** Null for a group without a heading. */
  title: string | null;
  sections: readonly Section[];
}

export const SECTION_GROUPS: readonly SectionGroup[] = [
  {
    title: null,
    sections: [
      { id: 'start', title: 'Start', kind: 'start' },
      { id: 'catalog', title: 'Catalog', kind: 'catalog' },
      { id: 'attributes', title: 'Attributes', kind: 'attributes' },
      { id: 'datasets', title: 'Datasets', kind: 'datasets' },
      { id: 'spans', title: 'Spans', kind: 'spans' },
      { id: 'uploads', title: 'Uploads', kind: 'uploads' },
    ],
  },
  {
    title: 'Monitoring',
    sections: [
      { id: 'alert-rules', title: 'Alert rules', kind: 'alert-rules' },
      { id: 'charts', title: 'Charts', kind: 'charts' },
    ],
  },
  {
    title: 'Resources',
    sections: LISTED.map(({ id, title, icon }) => ({
      id,
      title,
      icon,
      kind: 'resources' as const,
      params: { resource: id },
    })),
  },
  {
    title: null,
    sections: [
      { id: 'my-jobs', title: 'My jobs', kind: 'jobs' },
      { id: 'outbox', title: 'Outbox', kind: 'outbox' },
      { id: 'search', title: 'Search', kind: 'search' },
      { id: 'sql', title: 'SQL', kind: 'sql' },
      { id: 'offline', title: 'Offline', kind: 'offline' },
      { id: 'changes', title: 'Changes', kind: 'changes' },
      { id: 'traffic', title: 'Traffic', kind: 'traffic' },
      { id: 'health', title: 'Health', kind: 'health' },
      { id: 'settings', title: 'Settings', kind: 'settings' },
    ],
  },
];

/** The section of a tab. */
export function sectionOf(tab: Tab): string | null {
  const { section } = VIEWS[tab.kind];
  return typeof section === 'function' ? section(tab) : section;
}

/** Parts of a view without a row cursor. */
const WITHOUT_ROWS: Partial<Record<TabKind, readonly string[]>> = {
  dataset: ['schema', 'details'],
  'alert-rule': ['notification', 'fields'],
  spans: ['attributes'],
  trace: ['attributes'],
};

/** Whether this tab has rows that the inspector can show; for a record, in its parts. */
export function hasInspector(tab: Tab): boolean {
  if (tab.params['mode'] === 'edit' || WITHOUT_ROWS[tab.kind]?.includes(tab.params['part'] ?? ''))
    return false;
  if (tab.kind === 'resource') return tab.params['part'] !== undefined && tab.params['mode'] === undefined;
  return VIEWS[tab.kind].hasInspector;
}

/** Opens the list of a sidebar line, in the tab of that section, if any. */
export function openSection(id: string): void {
  const section = SECTION_GROUPS.flatMap(({ sections }) => sections).find((each) => each.id === id);
  if (section === undefined) return;
  app.tabs.openTop(section.kind, section.title, section.params);
}
