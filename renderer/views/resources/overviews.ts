/**
 * Overviews of records by resource. They show the state of the record with links to its parts, and come before its
 * fields.
 */
import type { Component } from 'svelte';
import type { Tab } from '../../state/tabs.svelte.ts';
import ApplicationHome from './ApplicationHome.svelte';
import ExperimentHome from './ExperimentHome.svelte';
import ModelHome from './ModelHome.svelte';
import RuleHome from './RuleHome.svelte';
import type { Resource } from './types.ts';
import UserHome from './UserHome.svelte';

type Overview = Component<{ tab: Tab; record: Record<string, unknown>; resource: Resource }>;

export const OVERVIEWS: Readonly<Record<string, Overview>> = {
  applications: ApplicationHome,
  models: ModelHome,
  experiments: ExperimentHome,
  'evaluator-rules': RuleHome,
  users: UserHome,
};
