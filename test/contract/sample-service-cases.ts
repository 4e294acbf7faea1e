/** For every operation: a request that succeeds, and requests that cause the errors specific to it. */
import type { OperationId } from '../../electron/api/endpoints.ts';
import { ACCESS_CASES } from './sample-service-cases/access.ts';
import { APPLICATION_CASES } from './sample-service-cases/applications.ts';
import { BASIC_CASES } from './sample-service-cases/basic.ts';
import { DATASET_CASES } from './sample-service-cases/datasets.ts';
import { EXPERIMENT_CASES } from './sample-service-cases/experiments.ts';
import { MONITORING_CASES } from './sample-service-cases/monitoring.ts';
import { RULE_CASES } from './sample-service-cases/rules.ts';
import type { Case } from './sample-service-cases/world.ts';

/** If an operation is missing here, the type checker reports it. */
export const CASES: Record<OperationId, Case> = {
  ...BASIC_CASES,
  ...DATASET_CASES,
  ...EXPERIMENT_CASES,
  ...APPLICATION_CASES,
  ...MONITORING_CASES,
  ...ACCESS_CASES,
  ...RULE_CASES,
};
