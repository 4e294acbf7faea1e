/** Single changes that a person requests, and the jobs of the service that some of them start. */

import { endpoint, isOperationId, type OperationId } from '../api/endpoints.ts';
import type { Invalidation } from '../library/types.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { isRawNumber, withPlainNumbers } from '../shared/exact-json.ts';
import { hasJobSucceeded } from '../shared/job-status.ts';
import type { ActResult } from '../shared/resource-contract.ts';
import { checkChange } from './change-check.ts';
import { dedicatedSenderOf } from './dedicated-senders.ts';
import { applicationGone, invalidatedBy } from './invalidated.ts';
import { itemReceiptProblem } from './item-receipt.ts';
import { jobOf } from './job-of.ts';
import { JobWatch } from './job-watch.ts';
import { changeOf, readTarget } from './target.ts';
import type { ActOptions, ActRequest, Resources, ResourcesDeps } from './types.ts';

/** Operations that send a message at once, because a delayed one would have no meaning. */
const SENDS_NOW: ReadonlySet<OperationId> = new Set(['alert-rules.test-notification']);

export function createResources(deps: ResourcesDeps): Resources {
  const watch = new JobWatch({ ...deps, onChanged: deps.onJobChanged });
  /** The change was made at the service, so a failure to mark stored data must not look like a failed change. */
  const invalidate = (invalidations: readonly Invalidation[]) => {
    try {
      deps.library.invalidate(invalidations);
    } catch (problem) {
      deps.logger.warn('change not noted in the library', { reason: toAppError(problem).message });
    }
  };
  /**
   * Follows the job independently of views, because the effects of deleting an application are known only when the job
   * has ended.
   */
  const touchAtEnd = (jobId: string, applicationId: string) => {
    const stop = watch.follow(jobId, ({ isOver, status }) => {
      if (!isOver) return;
      stop();
      if (hasJobSucceeded(status)) invalidate(applicationGone(applicationId));
    });
  };
  return {
    act: async (request, options = {}) => {
      const operation = writeOperation(deps, request);
      const answer = await send(deps, operation, request, options).catch((problem: unknown) => {
        if (isNewsOf(toAppError(problem))) invalidate(invalidatedBy(operation, request, false));
        throw problem;
      });
      const { value, status, requestId } = answer;
      const record = recordOf(value);
      const job = operation === 'applications.delete' ? jobOf(record) : null;
      const applicationId = request.path['application_id'];
      invalidate(invalidatedBy(operation, request, true));
      const problem = itemReceiptProblem(operation, request.body, value);
      if (problem !== null) throw problem;
      if (job !== null && applicationId !== undefined) touchAtEnd(job.id, applicationId);
      return { status, record, requestId, job } satisfies ActResult;
    },
    checkRepeatable: (request) => {
      const operation = writeOperation(deps, request);
      if (endpoint(operation).isRepeatSafe) return;
      const { text } = deps.client.describe(operation);
      throw new AppError('INVALID_ARGUMENT', `${text} must not be sent twice: it is sent one by one.`);
    },
    look: async (request, options = {}) => {
      const operation = writeOperation(deps, request);
      const found = await checkChange(deps, operation, request, options);
      if (found === 'done') invalidate(invalidatedBy(operation, request, true));
      return found;
    },
    describe: (request) => {
      const operation = writeOperation(deps, request);
      const { method, path: template, title, isRepeatSafe, body } = endpoint(operation);
      if (SENDS_NOW.has(operation))
        throw new AppError('INVALID_ARGUMENT', `${title}: this cannot start later.`);
      const problem = body?.safeParse(withPlainNumbers(request.body)).error?.issues[0];
      if (problem !== undefined) {
        const place = problem.path.join('.');
        throw new AppError('INVALID_ARGUMENT', `${place === '' ? 'The body' : place}: ${problem.message}.`);
      }
      const path = template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => request.path[name] ?? whole);
      const query = new URLSearchParams(request.query).toString();
      const line = `${method} ${path}${query === '' ? '' : `?${query}`}`;
      return { change: changeOf(operation), title, line, isRepeatSafe };
    },
    readTarget: (request, options = {}) => readTarget(deps, writeOperation(deps, request), request, options),
    watchJob: (request) => watch.watch(request),
    followJob: (jobId, follower) => watch.follow(jobId, follower),
    release: (viewId) => watch.release(viewId),
    wake: () => watch.wake(),
    suspend: () => watch.suspend(),
    stop: () => watch.stop(),
  };
}

function send({ client }: ResourcesDeps, operation: OperationId, request: ActRequest, options: ActOptions) {
  const { path, query, body } = request;
  const input = { path, query, ...(body === null ? {} : { body }) };
  return client.call(operation, input, { priority: 'click', group: `act ${operation}`, ...options });
}

/** Checks an operation. Throws INVALID_ARGUMENT if it does not exist, changes nothing, or has a channel of its own. */
function writeOperation({ client }: ResourcesDeps, { operation, body }: ActRequest): OperationId {
  const { text, isRead } = client.describe(operation);
  if (isRead) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `Expected an operation that changes something, but ${text} changes nothing. Read its data instead.`,
    );
  }
  const own = dedicatedSenderOf(operation);
  if (own !== null) {
    throw new AppError('INVALID_ARGUMENT', `${text} is not sent alone: it belongs to ${own}.`);
  }
  if (!isOperationId(operation)) throw new AppError('INTERNAL', `${operation} is not in the table.`);
  if (body !== null && endpoint(operation).body === null) {
    throw new AppError('INVALID_ARGUMENT', `${text} takes no body, and one was given. Nothing was sent.`);
  }
  return operation;
}

/**
 * Whether a failure suggests that stored data is outdated, because the change may have been made, by this request or by
 * somebody else.
 */
function isNewsOf({ code, details }: AppError): boolean {
  const isUnknown = details.outcome === 'unknown' || details.isSentAgain === true;
  return isUnknown || code === 'NOT_FOUND' || code === 'CONFLICT';
}

function recordOf(value: unknown): Record<string, unknown> | null {
  if (value === null || value === undefined || value === '') return null;
  if (Array.isArray(value)) return { items: value };
  if (typeof value !== 'object' || isRawNumber(value)) return { value };
  return Object.keys(value).length === 0 ? null : { ...value };
}
