/** Lists that show more than the fields of each record. Other lists show the columns of their resource. */
import type { Component } from 'svelte';
import AccessKeyRows from './AccessKeyRows.svelte';
import ApplicationRows from './ApplicationRows.svelte';
import ExperimentRows from './ExperimentRows.svelte';
import ModelRows from './ModelRows.svelte';
import type { ListProps } from './types.ts';

type Rows = Component<ListProps>;

export const LISTS: Readonly<Record<string, Rows>> = {
  applications: ApplicationRows,
  models: ModelRows,
  experiments: ExperimentRows,
  'access-keys': AccessKeyRows,
};
