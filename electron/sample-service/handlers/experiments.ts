/** Experiments as records (SERVICE.md F10.1). */
import { listAnswer } from '../lists.ts';
import {
  changedNow,
  idOfReference,
  madeNow,
  ORGANIZATION,
  referenceTo,
  sentFields,
} from '../record-parts.ts';
import type { Service } from '../service.ts';
import { malformed, ServiceError } from '../service-error.ts';
import type { JsonRecord } from '../store.ts';
import { removeExperiment } from '../stores.ts';
import type { Handlers } from './handler.ts';

const STATUSES: readonly string[] = ['PENDING', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'CANCELLED'];
/** Statuses that cannot change (assumption: a run that has ended stays ended). */
const FINAL_STATUSES: readonly unknown[] = ['COMPLETED', 'FAILED', 'CANCELLED'];
const FAILURE_TEXTS = ['error_reason', 'error_message', 'traceback'] as const;
const CHANGEABLE: readonly string[] = ['description', 'metadata', 'status', 'duration_ms', ...FAILURE_TEXTS];

export function requireExperiment(service: Service, id: string): JsonRecord {
  const experiment = service.stores.resources.get('experiment', id);
  if (experiment !== null) return experiment;
  throw new ServiceError(404, `Experiment ${id} was not found.`, { reason: 'ObjectNotFound' });
}

/** The application and the dataset of a new experiment. Throws a 400 if either is unknown. */
function subjectsOf(
  { stores }: Service,
  applicationId: string,
  datasetId: string,
): { application: JsonRecord; dataset: JsonRecord } {
  const application = stores.resources.get('application', applicationId);
  if (application === null) throw new ServiceError(400, `There is no application ${applicationId}.`);
  const dataset = stores.resources.get('dataset', datasetId);
  if (dataset === null || idOfReference(dataset, 'application') !== applicationId) {
    throw new ServiceError(400, `The application has no dataset ${datasetId}.`);
  }
  return { application, dataset };
}

/** Throws a 400 if the experiment cannot change to this status. */
function checkStatus(experiment: JsonRecord, changes: JsonRecord): void {
  const { status } = changes;
  if (status === undefined) return;
  if (typeof status !== 'string' || !STATUSES.includes(status)) {
    throw malformed(`status must be one of ${STATUSES.join(', ')}; ${JSON.stringify(status)} was sent.`);
  }
  if (FINAL_STATUSES.includes(experiment['status']) && status !== experiment['status']) {
    throw new ServiceError(
      400,
      `The experiment is already ${String(experiment['status'])}. Its status can no longer change.`,
    );
  }
  const missing = FAILURE_TEXTS.filter((field) => typeof changes[field] !== 'string');
  if (status === 'FAILED' && missing.length > 0) {
    throw malformed(`FAILED needs ${FAILURE_TEXTS.join(', ')}; missing: ${missing.join(', ')}.`);
  }
}

export const experimentHandlers = {
  'experiments.list': ({ stores }, request) => listAnswer(stores.resources.list('experiment'), request),

  'experiments.create': (service, request) => {
    const { name, application_id: applicationId, dataset_id: datasetId, ...rest } = request.body;
    const { application, dataset } = subjectsOf(service, applicationId, datasetId);
    const isTaken = service.stores.resources
      .list('experiment', applicationId)
      .some((experiment) => experiment['name'] === name);
    if (isTaken) throw new ServiceError(409, `The application has an experiment named "${name}" already.`);
    const id = service.random.uuid();
    const experiment = {
      ...sentFields(rest),
      id,
      name,
      description: rest.description ?? null,
      metadata: rest.metadata ?? {},
      status: 'PENDING',
      error_reason: null,
      error_message: null,
      traceback: null,
      duration_ms: null,
      organization: ORGANIZATION,
      project: application['project'],
      dataset: referenceTo(dataset),
      application: referenceTo(application),
      ...madeNow(service),
    };
    service.stores.resources.add('experiment', id, applicationId, experiment);
    return { kind: 'record', data: experiment };
  },

  'experiments.get': (service, request) => ({
    kind: 'record',
    data: requireExperiment(service, request.path('experiment_id')),
  }),

  'experiments.update': (service, request) => {
    const id = request.path('experiment_id');
    const experiment = requireExperiment(service, id);
    const changes = sentFields(request.body);
    const fixed = Object.keys(changes).find((field) => !CHANGEABLE.includes(field));
    if (fixed !== undefined) throw malformed(`${fixed} of an experiment cannot be changed.`);
    if (Object.keys(changes).length === 0) throw malformed(`Send at least one of ${CHANGEABLE.join(', ')}.`);
    checkStatus(experiment, changes);
    const changed = { ...experiment, ...changes, ...changedNow(service) };
    service.stores.resources.replace('experiment', id, changed);
    return { kind: 'record', data: changed };
  },

  'experiments.delete': (service, request) => {
    const id = request.path('experiment_id');
    requireExperiment(service, id);
    removeExperiment(service.stores, id);
    return { kind: 'empty' };
  },
} satisfies Pick<
  Handlers,
  'experiments.list' | 'experiments.create' | 'experiments.get' | 'experiments.update' | 'experiments.delete'
>;
