/** Names of tables in SQL and in mirrors. Pure. */
import { resourceOf } from './record-scope.ts';

/** Names of tables for some operations; the others are named after the operation. */
const NAMES: Readonly<Record<string, string>> = {
  'spans.query': 'spans',
  'datasets.items': 'items',
  'experiments.results': 'results',
  'catalog.list': 'entities',
  'catalog.values': 'values',
  'alert-rules.records': 'alerts',
  'alert-rules.summary': 'alert_summaries',
};

/** The table with the records of all lists of an operation. The name has letters, digits and underscores. */
export function tableOf(operation: string): string {
  const resource = resourceOf(operation);
  return NAMES[resource] ?? resource.replace(/\.(?:list|query)$/, '').replaceAll(/[^a-z0-9]+/gi, '_');
}
