/** Alert rules as parts of other records; their own views show the details. */
import Bell from '@lucide/svelte/icons/bell';
import { textField } from '../../../lib/records.ts';
import { openRule, openRules } from '../../parts/monitoring-routes.ts';
import { CREATED, column, ID, kindColumn, NAME, referenceColumn, UPDATED } from '../columns.ts';
import type { ListPart, Resource } from '../types.ts';

/** The alert rules that refer to a record, as a part of the record. The only operation lists all rules. */
export function rulesOf(field: 'baseline_id' | 'metric_id' | 'model_id'): ListPart {
  return {
    kind: 'list',
    id: 'alert-rules',
    title: 'Alert rules',
    resource: 'alert-rules',
    operation: 'alert-rules.list',
    scope: (record) => [{ field, value: textField(record, 'id') }],
  };
}

export const alertRules: Resource = {
  id: 'alert-rules',
  title: 'Alert rules',
  noun: 'alert rule',
  nouns: 'alert rules',
  icon: Bell,
  list: { operation: 'alert-rules.list', emptyText: 'No alert rules for this.' },
  get: { operation: 'alert-rules.get', param: 'alert_id' },
  columns: [
    NAME,
    referenceColumn('model', 'Model'),
    {
      ...referenceColumn('metric', 'Metric'),
      get: ({ metric }) =>
        typeof metric === 'object' && metric !== null && 'display_name' in metric
          ? metric.display_name
          : metric,
    },
    kindColumn('priority', 'Priority', 100),
    column('bin_size', 'Bin', 'text', 80),
    column('warning_threshold', 'Warning', 'number', 100),
    column('critical_threshold', 'Critical', 'number', 100),
    CREATED,
    UPDATED,
    ID,
  ],
  known: [],
  filterFields: [{ name: 'name', type: 'text' }],
  parts: [],
  home: openRules,
  open: openRule,
};
