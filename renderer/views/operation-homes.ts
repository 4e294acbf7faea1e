/**
 * Location of each service operation in the window: the kind of tab, and the user's action there. The table
 * of operations (electron/api/README.md) shows it, and a test verifies that the view of that kind names the
 * operation.
 */
import type { TabKind } from '../state/tabs.svelte.ts';

interface OperationHome {
  kind: TabKind;
  does: string;
  /** Channel that uses it, if the main process chooses the operation. */
  by?: string;
}

const at = (kind: TabKind, does: string, by?: string): OperationHome =>
  by === undefined ? { kind, does } : { kind, does, by };

export const OPERATION_HOMES: Readonly<Record<string, OperationHome>> = {
  'server-info.get': at('resource', 'Service: version and organization'),
  'projects.list': at('resources', 'Projects'),
  'projects.create': at('resource', 'New project'),
  'applications.list': at('resources', 'Applications'),
  'applications.create': at('resource', 'New application'),
  'applications.get': at('resource', 'An application and what belongs to it'),
  'applications.delete': at('resource', 'Delete, and the job until it ends'),
  'applications.metrics': at('resource', 'Metrics of an application'),
  'attributes.list': at('attributes', 'Attributes of an application'),
  'catalog.list': at('catalog', 'Entities of an application'),
  'catalog.values': at('values', 'Distinct values of an entity'),
  'environments.list': at('resources', 'Environments'),
  'environments.get': at('resource', 'An environment'),
  'models.list': at('resources', 'Models'),
  'models.get': at('resource', 'A model with its schema'),
  'models.environments': at('resource', 'Environments of a model'),
  'models.baselines': at('resource', 'Baselines of a model'),
  'models.custom-metrics': at('resource', 'Custom metrics of a model'),
  'models.metrics': at('resource', 'Metrics of a model'),
  'jobs.list': at('resources', 'Service tasks'),
  'jobs.get': at('resource', 'A service task'),
  'baselines.list': at('resources', 'Baselines'),
  'baselines.create': at('resource', 'New baseline'),
  'baselines.get': at('resource', 'A baseline'),
  'baselines.delete': at('resource', 'Delete a baseline'),
  'custom-metrics.list': at('resources', 'Custom metrics'),
  'custom-metrics.create': at('resource', 'New custom metric'),
  'custom-metrics.get': at('resource', 'A custom metric'),
  'custom-metrics.delete': at('resource', 'Delete a custom metric'),
  'segments.list': at('resources', 'Segments'),
  'segments.create': at('resource', 'New segment'),
  'segments.get': at('resource', 'A segment'),
  'segments.delete': at('resource', 'Delete a segment'),
  'datasets.list': at('datasets', 'Datasets'),
  'datasets.create': at('resource', 'New dataset'),
  'datasets.get': at('dataset', 'A dataset'),
  'datasets.update': at('dataset', 'Change a dataset'),
  'datasets.delete': at('dataset', 'Delete a dataset with its items'),
  'datasets.items': at('dataset', 'Items of a dataset'),
  'datasets.add-items': at('resource', 'Add items by hand'),
  'datasets.schema': at('dataset', 'Keys of the four buckets'),
  'datasets.add-spans': at('build', 'Items from spans, in calls of 200', 'jobs:control'),
  'experiments.list': at('resources', 'Experiments'),
  'experiments.create': at('resource', 'New experiment'),
  'experiments.get': at('resource', 'An experiment'),
  'experiments.update': at('resource', 'Change an experiment'),
  'experiments.delete': at('resource', 'Delete an experiment with its results'),
  'experiments.results': at('resource', 'Results of an experiment'),
  'experiments.add-results': at('resource', 'Upload results from a file', 'jobs:plan'),
  'experiments.metrics': at('resource', 'Metrics of an experiment, as received'),
  'experiments.metric-rows': at('resource', 'Items with the highest and lowest scores'),
  'spans.query': at('spans', 'Spans of a time range'),
  'spans.fields': at('spans', 'Attribute keys with their coverage'),
  'traces.delete': at('trace', 'Delete a trace'),
  'sessions.delete': at('trace', 'Delete a session'),
  'evaluators.list': at('resources', 'Evaluators'),
  'evaluators.score': at('dataset', 'Score items, results beside them', 'jobs:create'),
  'events.publish': at('upload', 'Publish events from a file'),
  'events.update': at('upload', 'Update events from a file'),
  'events.delete': at('deletions', 'Delete events by id or time'),
  'files.upload': at('upload', 'Send a file as is', 'jobs:create'),
  'files.multipart-init': at('upload', 'Send a file as is, in parts', 'jobs:create'),
  'files.multipart-upload': at('upload', 'Send a file as is, in parts', 'jobs:create'),
  'files.multipart-complete': at('upload', 'Send a file as is, in parts', 'jobs:create'),
  'queries.run': at('chart', 'A metric query as a chart'),
  'alert-rules.list': at('alert-rules', 'Alert rules'),
  'alert-rules.summary': at('alert-rules', 'The latest record of each rule'),
  'alert-rules.create': at('alert-rule-form', 'New alert rule'),
  'alert-rules.get': at('alert-rule', 'An alert rule'),
  'alert-rules.update': at('alert-rule', 'Change an alert rule'),
  'alert-rules.delete': at('alert-rule', 'Delete an alert rule'),
  'alert-rules.records': at('alert-rule', 'Records of a rule'),
  'alert-rules.history': at('alert-rule', 'Record history over time'),
  'alert-rules.thresholds': at('alert-rule', 'Thresholds of a bin'),
  'alert-rules.notification': at('alert-rule', 'Recipients'),
  'alert-rules.create-notification': at('alert-rule', 'Set recipients'),
  'alert-rules.update-notification': at('alert-rule', 'Change recipients'),
  'alert-rules.test-notification': at('alert-rule', 'Send a test'),
};
