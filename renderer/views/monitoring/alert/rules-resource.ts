/** Alert rules as a resource that can be deleted, with the consequences of deleting them. */
import type { KnownField } from '../../../lib/field-list.ts';
import { alertRules } from '../../resources/kinds/watching.ts';
import type { Resource } from '../../resources/types.ts';

const FIELDS: readonly KnownField[] = [
  { name: 'name', label: 'Name' },
  { name: 'model', label: 'Model' },
  { name: 'metric', label: 'Metric' },
  { name: 'feature_names', label: 'Columns' },
  { name: 'category', label: 'Category' },
  { name: 'baseline', label: 'Baseline' },
  { name: 'segment', label: 'Segment' },
  { name: 'bin_size', label: 'Bin' },
  { name: 'compare_to', label: 'Watched' },
  { name: 'compare_bin_delta', label: 'Bins back' },
  { name: 'condition', label: 'Condition' },
  { name: 'threshold_type', label: 'Thresholds' },
  { name: 'critical_threshold', label: 'Critical threshold' },
  { name: 'warning_threshold', label: 'Warning threshold' },
  { name: 'auto_threshold_params', label: 'Automatic thresholds' },
  { name: 'evaluation_delay', label: 'Evaluation delay, hours' },
  { name: 'priority', label: 'Priority' },
  { name: 'enable_notification', label: 'Notifies' },
  { name: 'project', label: 'Project' },
  { name: 'organization', label: 'Organization' },
  { name: 'created_at', label: 'Created' },
  { name: 'created_by', label: 'Created by' },
  { name: 'updated_at', label: 'Updated' },
  { name: 'updated_by', label: 'Updated by' },
  { name: 'id', label: 'Id' },
];

export const RULES: Resource = {
  ...alertRules,
  known: FIELDS,
  remove: {
    operation: 'alert-rules.delete',
    param: 'alert_id',
    goes: ['its notification', 'its alert records'],
    allowsBulk: true,
  },
};
