/** Changes at the service that a person asks for one by one, and the jobs that some of them take. */
import { isOperationId, type OperationId } from '../api/endpoints.ts';
import { AppError } from '../shared/errors.ts';
import { hasJobSucceeded } from '../shared/job-status.ts';
import type { ActResult } from '../shared/resource-contract.ts';
import { jobOf } from './job-of.ts';
import { JobWatch } from './job-watch.ts';
import { applicationGone, touchedBy } from './touched.ts';
import type { ActRequest, Resources, ResourcesDeps } from './types.ts';

export type { ActRequest, Resources, ResourcesDeps } from './types.ts';

/** What has a channel of its own, because it keeps what it sent or sends more than one request. */
const OWN_WAYS: readonly { isIt: (operation: string) => boolean; instead: string }[] = [
  { isIt: (operation) => operation.startsWith('events.'), instead: 'an upload or the deletion of events' },
  { isIt: (operation) => operation.startsWith('files.'), instead: 'an upload' },
  { isIt: (operation) => operation === 'datasets.add-spans', instead: 'the dataset builder' },
];

export function createResources(deps: ResourcesDeps): Resources {
  /** Applications whose deletion is under way, by job. */
  const deletions = new Map<string, string>();
  const watch = new JobWatch({
    ...deps,
    onChanged: deps.onJobChanged,
    onOver: ({ jobId, status }) => {
      const applicationId = deletions.get(jobId);
      if (applicationId === undefined) return;
      deletions.delete(jobId);
      if (hasJobSucceeded(status)) deps.library.touch(applicationGone(applicationId));
    },
  });
  return {
    act: async (request, signal) => {
      const operation = writeOperation(deps, request.operation);
      const { value, status, requestId } = await send(deps, operation, request, signal);
      const record = recordOf(value);
      const job = operation === 'applications.delete' ? jobOf(record) : null;
      const applicationId = request.path['application_id'];
      if (job !== null && applicationId !== undefined) deletions.set(job.id, applicationId);
      deps.library.touch(touchedBy(operation, request));
      return { status, record, requestId, job } satisfies ActResult;
    },
    watchJob: (request) => watch.watch(request),
    release: (viewId) => watch.release(viewId),
    wake: () => watch.wake(),
    suspend: () => watch.suspend(),
    stop: () => watch.stop(),
  };
}

function send({ client }: ResourcesDeps, operation: OperationId, request: ActRequest, signal?: AbortSignal) {
  const { path, query, body } = request;
  const input = { path, query, ...(body === null ? {} : { body }) };
  const options = { priority: 'click' as const, group: `act ${operation}` };
  return client.call(operation, input, signal === undefined ? options : { ...options, signal });
}

/** Throws INVALID_ARGUMENT for what is no operation, changes nothing, or has a way of its own. */
function writeOperation({ client }: ResourcesDeps, operation: string): OperationId {
  const { text, isRead } = client.describe(operation);
  if (isRead) {
    throw new AppError('INVALID_ARGUMENT', `${text} changes nothing; it is read through the library.`);
  }
  const own = OWN_WAYS.find(({ isIt }) => isIt(operation));
  if (own !== undefined) {
    throw new AppError('INVALID_ARGUMENT', `${text} is not sent alone: it belongs to ${own.instead}.`);
  }
  if (isOperationId(operation)) return operation;
  throw new AppError('INTERNAL', `${operation} is described and not in the table.`);
}

function recordOf(value: unknown): Record<string, unknown> | null {
  if (value === null || value === undefined || value === '') return null;
  if (Array.isArray(value)) return { items: value };
  return typeof value === 'object' ? { ...value } : { value };
}
