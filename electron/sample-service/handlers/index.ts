import { accessHandlers } from './access.ts';
import { alertRecordHandlers } from './alert-records.ts';
import { alertRuleHandlers } from './alert-rules.ts';
import { applicationHandlers } from './applications.ts';
import { baselineHandlers } from './baselines.ts';
import { catalogHandlers } from './catalog.ts';
import { datasetItemHandlers } from './dataset-items.ts';
import { datasetHandlers } from './datasets.ts';
import { evaluatorRuleHandlers } from './evaluator-rules.ts';
import { evaluatorHandlers } from './evaluators.ts';
import { eventHandlers } from './events.ts';
import { experimentMetricHandlers } from './experiment-metrics.ts';
import { experimentResultHandlers } from './experiment-results.ts';
import { experimentHandlers } from './experiments.ts';
import { fileHandlers } from './files.ts';
import { genaiAlertRuleHandlers } from './genai-alert-rules.ts';
import type { Handlers } from './handler.ts';
import { jobHandlers } from './jobs.ts';
import { metadataHandlers } from './metadata.ts';
import { metricHandlers } from './metrics.ts';
import { modelHandlers } from './models.ts';
import { notificationHandlers } from './notifications.ts';
import { projectHandlers } from './projects.ts';
import { queryHandlers } from './queries.ts';
import { segmentHandlers } from './segments.ts';
import { spanHandlers } from './spans.ts';

/** The handlers of all rows of the endpoint table. */
export const HANDLERS: Handlers = {
  ...metadataHandlers,
  ...projectHandlers,
  ...applicationHandlers,
  ...catalogHandlers,
  ...modelHandlers,
  ...jobHandlers,
  ...datasetHandlers,
  ...datasetItemHandlers,
  ...experimentHandlers,
  ...experimentResultHandlers,
  ...experimentMetricHandlers,
  ...spanHandlers,
  ...evaluatorHandlers,
  ...evaluatorRuleHandlers,
  ...eventHandlers,
  ...fileHandlers,
  ...baselineHandlers,
  ...metricHandlers,
  ...segmentHandlers,
  ...queryHandlers,
  ...alertRuleHandlers,
  ...alertRecordHandlers,
  ...genaiAlertRuleHandlers,
  ...notificationHandlers,
  ...accessHandlers,
};
