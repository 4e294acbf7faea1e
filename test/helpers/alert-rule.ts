/** An alert rule as the service sends it, and the metrics of its model. */
import { readMetrics } from '../../electron/shared/metrics.ts';

export const ALERT_ID = '55bbf44d-261a-470b-bba3-84731014f3ef';
export const MODEL = '431b97c7-1800-4448-b777-b3c7ba56c4a9';

export const RECORD = {
  id: ALERT_ID,
  name: 'Fraud score drifts',
  priority: 'HIGH',
  bin_size: 'Day',
  compare_to: 'raw_value',
  compare_bin_delta: null,
  condition: 'greater',
  critical_threshold: 0.25,
  warning_threshold: 0.2,
  threshold_type: 'manual',
  feature_names: ['fraud_score'],
  enable_notification: true,
  metric: { id: 'jsd', display_name: 'Jensen-Shannon distance', type: 'drift' },
  model: { id: MODEL, name: 'Card fraud' },
  project: { id: 'p1', name: 'Risk models' },
  baseline: { id: 'b1', name: 'default_static_baseline' },
  segment: null,
};
export const METRICS = readMetrics({
  metrics: [
    {
      id: 'jsd',
      name: 'Jensen-Shannon distance',
      type: 'drift',
      columns: ['fraud_score', 'amount'],
      requires_baseline: true,
    },
    { id: 'traffic', name: 'Traffic', type: 'service_metrics', columns: [] },
    {
      id: 'frequency',
      name: 'Frequency',
      type: 'statistic',
      columns: ['merchant'],
      requires_categories: true,
    },
  ],
});
