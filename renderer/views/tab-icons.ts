/** The icon of each kind of tab. */
import Activity from '@lucide/svelte/icons/activity';
import BellRing from '@lucide/svelte/icons/bell-ring';
import BookOpen from '@lucide/svelte/icons/book-open';
import Boxes from '@lucide/svelte/icons/boxes';
import Braces from '@lucide/svelte/icons/braces';
import ChartLine from '@lucide/svelte/icons/chart-line';
import CopyCheck from '@lucide/svelte/icons/copy-check';
import Database from '@lucide/svelte/icons/database';
import FileUp from '@lucide/svelte/icons/file-up';
import HardDriveDownload from '@lucide/svelte/icons/hard-drive-download';
import HeartPulse from '@lucide/svelte/icons/heart-pulse';
import House from '@lucide/svelte/icons/house';
import Inbox from '@lucide/svelte/icons/inbox';
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
import type { Component } from 'svelte';
import type { Tab, TabKind } from '../state/tabs.svelte.ts';
import { findResource } from './resources/registry.ts';

export type Icon = Component<{ size?: number | string }>;

/** For kinds with several subjects, `iconOf` returns the icon of the subject. */
export const TAB_ICONS: Readonly<Record<TabKind, Icon>> = {
  start: House,
  catalog: BookOpen,
  values: Braces,
  attributes: ListTree,
  datasets: Database,
  dataset: Database,
  'item-file': FileUp,
  spans: Waypoints,
  trace: Waypoints,
  builds: PackagePlus,
  build: PackagePlus,
  uploads: Upload,
  upload: Upload,
  deletions: Trash2,
  sql: SquareTerminal,
  'alert-rules': BellRing,
  'alert-rule': BellRing,
  'alert-rule-form': BellRing,
  charts: ChartLine,
  chart: ChartLine,
  resources: Boxes,
  resource: Boxes,
  jobs: ListChecks,
  changes: CopyCheck,
  outbox: Inbox,
  search: Search,
  offline: HardDriveDownload,
  traffic: Activity,
  settings: Settings,
  health: HeartPulse,
  connection: Plug,
};

/** The icon of a tab: that of its resource, if it has one. */
export function iconOf({ kind, params }: Pick<Tab, 'kind' | 'params'>): Icon {
  return findResource(params['resource'])?.icon ?? TAB_ICONS[kind];
}
