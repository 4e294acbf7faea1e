/** A table of all kinds of tabs: icon, place, and the file of the view. */
import Activity from '@lucide/svelte/icons/activity';
import BellRing from '@lucide/svelte/icons/bell-ring';
import BookOpen from '@lucide/svelte/icons/book-open';
import Boxes from '@lucide/svelte/icons/boxes';
import Braces from '@lucide/svelte/icons/braces';
import ChartLine from '@lucide/svelte/icons/chart-line';
import CopyCheck from '@lucide/svelte/icons/copy-check';
import Database from '@lucide/svelte/icons/database';
import FileUp from '@lucide/svelte/icons/file-up';
import GitCompareArrows from '@lucide/svelte/icons/git-compare-arrows';
import HardDriveDownload from '@lucide/svelte/icons/hard-drive-download';
import HeartPulse from '@lucide/svelte/icons/heart-pulse';
import House from '@lucide/svelte/icons/house';
import Inbox from '@lucide/svelte/icons/inbox';
import LayoutDashboard from '@lucide/svelte/icons/layout-dashboard';
import ListChecks from '@lucide/svelte/icons/list-checks';
import ListTree from '@lucide/svelte/icons/list-tree';
import PackagePlus from '@lucide/svelte/icons/package-plus';
import Plug from '@lucide/svelte/icons/plug';
import Search from '@lucide/svelte/icons/search';
import Settings from '@lucide/svelte/icons/settings';
import SquareTerminal from '@lucide/svelte/icons/square-terminal';
import Trash2 from '@lucide/svelte/icons/trash-2';
import Upload from '@lucide/svelte/icons/upload';
import Waypoints from '@lucide/svelte/icons/waypoints';
import { tabRow } from '../lib/tab-kinds.ts';
import type { Tab, TabKind } from '../state/tabs.svelte.ts';
import { defineView, type Icon, type ViewDefinition } from './define-view.svelte.ts';
import { findResource } from './resources/registry.ts';

const placeOfResource = (tab: Tab): string =>
  findResource(tab.params['resource'])?.section ?? tab.params['resource'] ?? '';

export const VIEWS: Readonly<Record<TabKind, ViewDefinition>> = {
  start: defineView({ icon: House, place: 'start', load: () => import('./start/StartView.svelte') }),
  catalog: defineView({
    icon: BookOpen,
    place: 'catalog',
    hasInspector: true,
    load: () => import('./CatalogView.svelte'),
  }),
  values: defineView({
    icon: Braces,
    place: 'catalog',
    hasInspector: true,
    load: () => import('./ValuesView.svelte'),
  }),
  attributes: defineView({
    icon: ListTree,
    place: 'attributes',
    hasInspector: true,
    inSection: { section: 'catalog', title: 'Attributes' },
    load: () => import('./AttributesView.svelte'),
  }),
  datasets: defineView({
    icon: Database,
    place: 'datasets',
    hasInspector: true,
    load: () => import('./DatasetsView.svelte'),
  }),
  dataset: defineView({
    icon: Database,
    place: 'datasets',
    hasInspector: true,
    load: () => import('./DatasetView.svelte'),
  }),
  comparison: defineView({
    icon: GitCompareArrows,
    place: 'experiments',
    load: () => import('./comparison/ComparisonView.svelte'),
  }),
  'item-file': defineView({
    icon: FileUp,
    place: 'datasets',
    load: () => import('./datasets/ItemFileView.svelte'),
  }),
  spans: defineView({
    icon: Waypoints,
    place: 'spans',
    hasInspector: true,
    load: () => import('./spans/SpansView.svelte'),
  }),
  trace: defineView({
    icon: Waypoints,
    place: 'spans',
    hasInspector: true,
    load: () => import('./spans/ScopeView.svelte'),
  }),
  builds: defineView({ icon: PackagePlus, place: 'builds', load: () => import('./spans/BuildsView.svelte') }),
  build: defineView({ icon: PackagePlus, place: 'builds', load: () => import('./spans/BuildView.svelte') }),
  uploads: defineView({ icon: Upload, place: 'uploads', load: () => import('./uploads/UploadsView.svelte') }),
  upload: defineView({ icon: Upload, place: 'uploads', load: () => import('./uploads/UploadView.svelte') }),
  deletions: defineView({
    icon: Trash2,
    place: 'deletions',
    inSection: { section: 'uploads', title: 'Deletions', keywords: 'remove events rows deleted' },
    load: () => import('./uploads/DeleteEventsView.svelte'),
  }),
  sql: defineView({ icon: SquareTerminal, place: 'sql', load: () => import('./sql/SqlView.svelte') }),
  'alert-rules': defineView({
    icon: BellRing,
    place: 'alert-rules',
    hasInspector: true,
    load: () => import('./monitoring/AlertRulesView.svelte'),
  }),
  'alert-rule': defineView({
    icon: BellRing,
    place: 'alert-rules',
    hasInspector: true,
    load: () => import('./monitoring/AlertRuleView.svelte'),
  }),
  'alert-rule-form': defineView({
    icon: BellRing,
    place: 'alert-rules',
    load: () => import('./monitoring/AlertRuleFormView.svelte'),
  }),
  board: defineView({
    icon: LayoutDashboard,
    place: 'charts',
    load: () => import('./monitoring/BoardView.svelte'),
  }),
  charts: defineView({
    icon: ChartLine,
    place: 'saved-charts',
    inSection: { section: 'charts', title: 'Charts', named: 'saved charts' },
    load: () => import('./monitoring/ChartsView.svelte'),
  }),
  chart: defineView({
    icon: ChartLine,
    place: 'saved-charts',
    load: () => import('./monitoring/ChartView.svelte'),
  }),
  resources: defineView({
    icon: Boxes,
    place: placeOfResource,
    hasInspector: true,
    load: () => import('./resources/ResourcesView.svelte'),
  }),
  resource: defineView({
    icon: Boxes,
    place: placeOfResource,
    hasInspector: true,
    load: () => import('./resources/ResourceView.svelte'),
  }),
  jobs: defineView({ icon: ListChecks, place: 'my-jobs', load: () => import('./jobs/JobsView.svelte') }),
  changes: defineView({ icon: CopyCheck, place: 'changes', load: () => import('./ChangesView.svelte') }),
  outbox: defineView({ icon: Inbox, place: 'outbox', load: () => import('./outbox/OutboxView.svelte') }),
  search: defineView({
    icon: Search,
    place: 'search',
    hasInspector: true,
    load: () => import('./search/SearchView.svelte'),
  }),
  offline: defineView({
    icon: HardDriveDownload,
    place: 'offline',
    load: () => import('./offline/OfflineView.svelte'),
  }),
  traffic: defineView({
    icon: Activity,
    place: 'traffic',
    inSection: { section: 'activity', title: 'Requests' },
    load: () => import('./TrafficView.svelte'),
  }),
  settings: defineView({
    icon: Settings,
    place: 'settings',
    load: () => import('./settings/SettingsView.svelte'),
  }),
  health: defineView({
    icon: HeartPulse,
    place: 'health',
    inSection: { section: 'settings', title: 'Diagnostics' },
    load: () => import('./health/HealthView.svelte'),
  }),
  connection: defineView({ icon: Plug, place: null, load: () => import('./ConnectView.svelte') }),
};

/** The icon of a tab; for a resource that of the resource. */
export function iconOf({ kind, params }: Pick<Tab, 'kind' | 'params'>): Icon {
  return findResource(params['resource'])?.icon ?? VIEWS[kind].icon;
}

/** Whether the tab has rows that the inspector can show. A record has them in its parts. */
export function hasInspector(tab: Tab): boolean {
  if (tab.params['mode'] === 'edit' || tabRow(tab.kind).partsWithoutRows?.includes(tab.params['part'] ?? ''))
    return false;
  if (tab.kind === 'resource') return tab.params['part'] !== undefined && tab.params['mode'] === undefined;
  return VIEWS[tab.kind].hasInspector;
}
