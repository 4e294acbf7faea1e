/** All resources that use the general list and detail views. */

import { accessKeys, users } from './kinds/access.ts';
import { datasetItems, datasets, evaluators } from './kinds/evals.ts';
import { experimentResults, experiments } from './kinds/experiments.ts';
import { baselines, customMetrics, segments } from './kinds/measuring.ts';
import { environments, models } from './kinds/models.ts';
import { applications, projects } from './kinds/organizing.ts';
import { evaluatorRules, genaiAlertRules } from './kinds/rules.ts';
import { jobs, serverInfo } from './kinds/service.ts';
import { alertRules } from './kinds/watching.ts';
import type { Resource } from './types.ts';

const ALL: readonly Resource[] = [
  projects,
  applications,
  models,
  environments,
  baselines,
  customMetrics,
  segments,
  evaluators,
  evaluatorRules,
  jobs,
  datasets,
  datasetItems,
  experiments,
  experimentResults,
  alertRules,
  genaiAlertRules,
  serverInfo,
  accessKeys,
  users,
];

export function findResource(id: string | undefined): Resource | null {
  return ALL.find((resource) => resource.id === id) ?? null;
}

/** Fields that refer to a record in any other record, with the resource of the target. */
const REFERENCES: Readonly<Record<string, string>> = {
  project: 'projects',
  application: 'applications',
  model: 'models',
  environment: 'environments',
  env: 'environments',
  baseline: 'baselines',
  segment: 'segments',
  dataset: 'datasets',
  experiment: 'experiments',
  job: 'jobs',
};

/** The resource that a field such as `model` or `model_id` refers to; null if there is none. */
export function resourceOfField(field: string): string | null {
  const name = field.endsWith('_id') ? field.slice(0, -'_id'.length) : field;
  return REFERENCES[name] ?? null;
}
