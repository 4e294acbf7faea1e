/** Overviews of records by resource: their state, with links to their parts, shown before their fields. */
import type { Component } from 'svelte';
import type { GridModel } from '../../components/grid/grid-model.svelte.ts';
import type { ListModel } from '../../state/list-state.svelte.ts';
import type { Tab } from '../../state/tabs.svelte.ts';
import AccessKeyRows from './AccessKeyRows.svelte';
import ExperimentHome from './ExperimentHome.svelte';
import ExperimentRows from './ExperimentRows.svelte';
import ModelHome from './ModelHome.svelte';
import ModelRows from './ModelRows.svelte';
import RuleHome from './RuleHome.svelte';
import type { Resource } from './types.ts';

type Overview = Component<{ tab: Tab; record: Record<string, unknown>; resource: Resource }>;

type Rows = Component<{
  tab: Tab;
  resource: Resource;
  list: ListModel;
  grid: GridModel;
  operation: string;
  emptyText: string;
}>;

/** Lists with more about each record than its fields; by default its columns. */
export const LISTS: Readonly<Record<string, Rows>> = {
  models: ModelRows,
  experiments: ExperimentRows,
  'access-keys': AccessKeyRows,
};

export const OVERVIEWS: Readonly<Record<string, Overview>> = {
  models: ModelHome,
  experiments: ExperimentHome,
  'evaluator-rules': RuleHome,
};
