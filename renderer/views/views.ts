/** Every kind of tab in one table: what shows it, its icon, the section it belongs to. The sidebar is made of it. */
import type { Component } from 'svelte';
import { app } from '../state/app.svelte.ts';
import type { Tab, TabKind } from '../state/tabs.svelte.ts';
import AttributesView from './AttributesView.svelte';
import CatalogView from './CatalogView.svelte';
import ChangesView from './ChangesView.svelte';
import ConnectView from './ConnectView.svelte';
import DatasetsView from './DatasetsView.svelte';
import DatasetView from './DatasetView.svelte';
import ItemFileView from './datasets/ItemFileView.svelte';
import HealthView from './health/HealthView.svelte';
import JobsView from './jobs/JobsView.svelte';
import AlertRuleFormView from './monitoring/AlertRuleFormView.svelte';
import AlertRulesView from './monitoring/AlertRulesView.svelte';
import AlertRuleView from './monitoring/AlertRuleView.svelte';
import ChartsView from './monitoring/ChartsView.svelte';
import ChartView from './monitoring/ChartView.svelte';
import OfflineView from './offline/OfflineView.svelte';
import OutboxView from './outbox/OutboxView.svelte';
import ResourcesView from './resources/ResourcesView.svelte';
import ResourceView from './resources/ResourceView.svelte';
import { findResource, LISTED } from './resources/registry.ts';
import SearchView from './search/SearchView.svelte';
import SettingsView from './settings/SettingsView.svelte';
import BuildsView from './spans/BuildsView.svelte';
import BuildView from './spans/BuildView.svelte';
import ScopeView from './spans/ScopeView.svelte';
import SpansView from './spans/SpansView.svelte';
import SqlView from './sql/SqlView.svelte';
import StartView from './start/StartView.svelte';
import TrafficView from './TrafficView.svelte';
import type { Icon } from './tab-icons.ts';
import { UPLOAD_VIEWS } from './uploads/index.ts';
import ValuesView from './ValuesView.svelte';

interface ViewRow {
  view: Component<{ tab: Tab }>;
  /** Id of the section that is lit while the tab is active; null for none. */
  section: string | null | ((tab: Tab) => string);
  /** Its rows can be seen whole in the inspector. */
  hasInspector: boolean;
}

const inspected = { hasInspector: true } as const;
const plain = { hasInspector: false } as const;
/** A resource has a section of its own. */
const ofResource = {
  section: (tab: Tab): string =>
    findResource(tab.params['resource'])?.section ?? tab.params['resource'] ?? '',
};

export const VIEWS: Readonly<Record<TabKind, ViewRow>> = {
  start: { view: StartView, section: 'start', ...plain },
  catalog: { view: CatalogView, section: 'catalog', ...inspected },
  values: { view: ValuesView, section: 'catalog', ...inspected },
  attributes: { view: AttributesView, section: 'attributes', ...inspected },
  datasets: { view: DatasetsView, section: 'datasets', ...inspected },
  dataset: { view: DatasetView, section: 'datasets', ...inspected },
  'item-file': { view: ItemFileView, section: 'datasets', ...plain },
  spans: { view: SpansView, section: 'spans', ...inspected },
  trace: { view: ScopeView, section: 'spans', ...inspected },
  builds: { view: BuildsView, section: 'spans', ...plain },
  build: { view: BuildView, section: 'spans', ...plain },
  uploads: { view: UPLOAD_VIEWS.uploads.view, section: 'uploads', ...plain },
  upload: { view: UPLOAD_VIEWS.upload.view, section: 'uploads', ...plain },
  deletions: { view: UPLOAD_VIEWS.deletions.view, section: 'uploads', ...plain },
  sql: { view: SqlView, section: 'sql', ...plain },
  'alert-rules': { view: AlertRulesView, section: 'alert-rules', ...inspected },
  'alert-rule': { view: AlertRuleView, section: 'alert-rules', ...inspected },
  'alert-rule-form': { view: AlertRuleFormView, section: 'alert-rules', ...plain },
  charts: { view: ChartsView, section: 'charts', ...plain },
  chart: { view: ChartView, section: 'charts', ...plain },
  resources: { view: ResourcesView, ...ofResource, ...inspected },
  resource: { view: ResourceView, ...ofResource, ...inspected },
  jobs: { view: JobsView, section: 'my-jobs', ...plain },
  changes: { view: ChangesView, section: 'changes', ...plain },
  outbox: { view: OutboxView, section: 'outbox', ...plain },
  search: { view: SearchView, section: 'search', ...inspected },
  offline: { view: OfflineView, section: 'offline', ...plain },
  traffic: { view: TrafficView, section: 'traffic', ...plain },
  settings: { view: SettingsView, section: 'settings', ...plain },
  health: { view: HealthView, section: 'health', ...plain },
  connection: { view: ConnectView, section: null, ...plain },
};

/** One line of the sidebar: what it opens. */
interface Section {
  id: string;
  title: string;
  kind: TabKind;
  params?: Record<string, string>;
  /** Where it differs from the icon of its kind. */
  icon?: Icon;
}

interface SectionGroup {
  /** Null: a group without a heading. */
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

/** The section a tab belongs to. */
export function sectionOf(tab: Tab): string | null {
  const { section } = VIEWS[tab.kind];
  return typeof section === 'function' ? section(tab) : section;
}

/** Parts of a view in which no row is under a cursor. */
const WITHOUT_ROWS: Partial<Record<TabKind, readonly string[]>> = {
  dataset: ['schema', 'details'],
  'alert-rule': ['notification', 'fields'],
  spans: ['attributes'],
  trace: ['attributes'],
};

/** Are there rows in this tab that the inspector can show? Of a record, in its parts. */
export function hasInspector(tab: Tab): boolean {
  if (tab.params['mode'] === 'edit' || WITHOUT_ROWS[tab.kind]?.includes(tab.params['part'] ?? ''))
    return false;
  if (tab.kind === 'resource') return tab.params['part'] !== undefined && tab.params['mode'] === undefined;
  return VIEWS[tab.kind].hasInspector;
}

/** Opens the list of a line of the sidebar, in the tab of that section where there is one. */
export function openSection(id: string): void {
  const section = SECTION_GROUPS.flatMap(({ sections }) => sections).find((each) => each.id === id);
  if (section === undefined) return;
  app.tabs.openTop(section.kind, section.title, section.params);
}
