/** Every kind of tab in one table: what shows it, its icon, the section it belongs to. The sidebar is made of it. */
import Activity from '@lucide/svelte/icons/activity';
import BookOpen from '@lucide/svelte/icons/book-open';
import Braces from '@lucide/svelte/icons/braces';
import Database from '@lucide/svelte/icons/database';
import ListTree from '@lucide/svelte/icons/list-tree';
import PackagePlus from '@lucide/svelte/icons/package-plus';
import Plug from '@lucide/svelte/icons/plug';
import Trash2 from '@lucide/svelte/icons/trash-2';
import Upload from '@lucide/svelte/icons/upload';
import Waypoints from '@lucide/svelte/icons/waypoints';
import type { Component } from 'svelte';
import type { Tab, TabKind } from '../state/tabs.svelte.ts';
import AttributesView from './AttributesView.svelte';
import CatalogView from './CatalogView.svelte';
import ConnectView from './ConnectView.svelte';
import DatasetsView from './DatasetsView.svelte';
import DatasetView from './DatasetView.svelte';
import BuildsView from './spans/BuildsView.svelte';
import BuildView from './spans/BuildView.svelte';
import ScopeView from './spans/ScopeView.svelte';
import SpansView from './spans/SpansView.svelte';
import TrafficView from './TrafficView.svelte';
import { UPLOAD_VIEWS } from './uploads/index.ts';
import ValuesView from './ValuesView.svelte';

export type Icon = Component<{ size?: number | string }>;

export interface ViewRow {
  view: Component<{ tab: Tab }>;
  icon: Icon;
  /** Id of the section that is lit while the tab is active; null for none. */
  section: string | null | ((tab: Tab) => string);
  /** Its rows can be seen whole in the inspector. */
  hasInspector: boolean;
}

const inspected = { hasInspector: true } as const;
const plain = { hasInspector: false } as const;

export const VIEWS: Readonly<Record<TabKind, ViewRow>> = {
  catalog: { view: CatalogView, icon: BookOpen, section: 'catalog', ...inspected },
  values: { view: ValuesView, icon: Braces, section: 'catalog', ...inspected },
  attributes: { view: AttributesView, icon: ListTree, section: 'attributes', ...inspected },
  datasets: { view: DatasetsView, icon: Database, section: 'datasets', ...inspected },
  dataset: { view: DatasetView, icon: Database, section: 'datasets', ...inspected },
  spans: { view: SpansView, icon: Waypoints, section: 'spans', ...inspected },
  trace: { view: ScopeView, icon: Waypoints, section: 'spans', ...inspected },
  builds: { view: BuildsView, icon: PackagePlus, section: 'spans', ...plain },
  build: { view: BuildView, icon: PackagePlus, section: 'spans', ...plain },
  uploads: { view: UPLOAD_VIEWS.uploads.view, icon: Upload, section: 'uploads', ...plain },
  upload: { view: UPLOAD_VIEWS.upload.view, icon: Upload, section: 'uploads', ...plain },
  deletions: { view: UPLOAD_VIEWS.deletions.view, icon: Trash2, section: 'uploads', ...plain },
  traffic: { view: TrafficView, icon: Activity, section: 'traffic', ...plain },
  connection: { view: ConnectView, icon: Plug, section: null, ...plain },
};

/** One line of the sidebar: what it opens. */
export interface Section {
  id: string;
  title: string;
  kind: TabKind;
  params?: Record<string, string>;
  /** Where it differs from the icon of its kind. */
  icon?: Icon;
}

export interface SectionGroup {
  /** Null: a group without a heading. */
  title: string | null;
  sections: readonly Section[];
}

export const SECTION_GROUPS: readonly SectionGroup[] = [
  {
    title: null,
    sections: [
      { id: 'catalog', title: 'Catalog', kind: 'catalog' },
      { id: 'attributes', title: 'Attributes', kind: 'attributes' },
      { id: 'datasets', title: 'Datasets', kind: 'datasets' },
      { id: 'spans', title: 'Spans', kind: 'spans' },
      { id: 'uploads', title: 'Uploads', kind: 'uploads' },
    ],
  },
  { title: null, sections: [{ id: 'traffic', title: 'Traffic', kind: 'traffic' }] },
];

/** The section a tab belongs to. */
export function sectionOf(tab: Tab): string | null {
  const { section } = VIEWS[tab.kind];
  return typeof section === 'function' ? section(tab) : section;
}
