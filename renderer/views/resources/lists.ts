/** Lists with more about each record than its fields; by default its columns. */
import type { Component } from 'svelte';
import type { GridModel } from '../../components/grid/grid-model.svelte.ts';
import type { ListModel } from '../../state/list-state.svelte.ts';
import type { Tab } from '../../state/tabs.svelte.ts';
import type { ScopeRule } from '../parts/listing.ts';
import AccessKeyRows from './AccessKeyRows.svelte';
import ApplicationRows from './ApplicationRows.svelte';
import ExperimentRows from './ExperimentRows.svelte';
import ModelRows from './ModelRows.svelte';
import type { Resource } from './types.ts';

type Rows = Component<{
  tab: Tab;
  resource: Resource;
  list: ListModel;
  grid: GridModel;
  operation: string;
  path?: Record<string, string>;
  /** The place where the list is shown: the models of one project. */
  scope?: readonly ScopeRule[];
  takes?: readonly ('search' | 'filter' | 'ordering')[];
  prefix?: string;
  emptyText: string;
  /** Initial values of a new row's form; null if creation is not offered here. */
  start?: Record<string, string> | null;
}>;

export const LISTS: Readonly<Record<string, Rows>> = {
  applications: ApplicationRows,
  models: ModelRows,
  experiments: ExperimentRows,
  'access-keys': AccessKeyRows,
};
