/** Reads facts about a model and its environments from the service, for checks and for evidence. */

import type { Environment } from '../api/records.ts';
import type { ServiceClient } from '../api/types.ts';
import { pause } from '../core/pause.ts';
import type { Clock } from '../core/ports.ts';
import { numberText } from '../shared/count-text.ts';
import { AppError, isUnknownToService, toAppError } from '../shared/errors.ts';
import { MODEL_UNREAD, type ModelFacts, readModelFacts } from '../shared/upload-columns.ts';
import type { RowCount, UploadPlan } from '../shared/upload-model.ts';

type Target = Pick<UploadPlan, 'modelId' | 'envType' | 'envName'>;

const PAGE = 100;
const MAX_PAGES = 20;

/** The model's schema, or null if its record has none. Throws AppError if it cannot be read. */
export async function readModel(
  client: ServiceClient,
  modelId: string,
  group: string,
  signal?: AbortSignal,
): Promise<ModelFacts | null> {
  const options = { priority: 'click' as const, group, ...(signal === undefined ? {} : { signal }) };
  const answer = await client.call('models.get', { path: { model_id: modelId } }, options);
  return readModelFacts(answer.value);
}

/** Row count of the environment that events go to; 0 if the environment does not exist yet. Throws AppError. */
export async function readRowCount(
  client: ServiceClient,
  target: Target,
  group: string,
  signal?: AbortSignal,
): Promise<{ rowCount: number | null; reason: string }> {
  const options = { priority: 'click' as const, group, ...(signal === undefined ? {} : { signal }) };
  const matching: Environment[] = [];
  let isWhole = false;
  for (let page = 0, offset = 0; page < MAX_PAGES && !isWhole; page += 1) {
    const input = { path: { model_id: target.modelId }, query: { limit: PAGE, offset } };
    const { value } = await client.list('models.environments', input, options);
    matching.push(...value.items.filter((environment) => isTarget(environment, target)));
    offset += value.itemCount;
    isWhole = value.itemCount === 0 || (value.total !== null && offset >= value.total);
  }
  if (!isWhole)
    return { rowCount: null, reason: `the list of environments did not end after ${MAX_PAGES} pages` };
  const counts = matching.map((environment) => environment.row_count ?? null);
  if (counts.includes(null))
    return { rowCount: null, reason: 'the service does not say how many rows the environment has' };
  return { rowCount: counts.reduce((sum: number, count) => sum + (count ?? 0), 0), reason: '' };
}

interface SteadyRowCount extends Pick<RowCount, 'rowCount' | 'reason' | 'hasMoved'> {
  /** Growth of the row count from the first reading to the second, if they differ. */
  movedBy?: number;
}

interface SteadyReading {
  client: ServiceClient;
  clock: Pick<Clock, 'setTimer'>;
  pauseMs: number;
  /** Aborted when nobody waits for the count any more. */
  signal: AbortSignal;
}

/**
 * Reads the row count twice with a pause. Returns null with both numbers if they differ, because then others write to
 * the environment and the count proves nothing about rows sent from here. Throws AppError; CANCELLED once the signal is
 * aborted.
 */
export async function readSteadyRowCount(
  { client, clock, pauseMs, signal }: SteadyReading,
  target: Target,
  group: string,
): Promise<SteadyRowCount> {
  const first = await readRowCount(client, target, group, signal);
  if (first.rowCount === null) return first;
  if (pauseMs > 0) await pause(clock, signal, pauseMs);
  if (signal.aborted)
    throw new AppError('CANCELLED', 'The rows were not counted: the connection was closed.', {
      outcome: 'unsent',
    });
  const second = await readRowCount(client, target, group, signal);
  if (second.rowCount === null || second.rowCount === first.rowCount) return second;
  const [before, after] = [numberText(first.rowCount), numberText(second.rowCount)];
  const reason = `it went from ${before} to ${after} while nothing of this was on its way: others write to the environment`;
  return { rowCount: null, reason, hasMoved: true, movedBy: second.rowCount - first.rowCount };
}

function isTarget(environment: Environment, target: Target): boolean {
  const isType = (environment.type ?? '').toLowerCase() === target.envType.toLowerCase();
  return isType && (target.envName === null || environment.name === target.envName);
}

/** Returns `otherwise` if the service answers with an error; throws if it cannot be reached or refuses the token. */
export async function valueOrReason<T>(
  reading: () => Promise<T>,
  otherwise: (reason: string, error: AppError) => T,
): Promise<T> {
  try {
    return await reading();
  } catch (problem) {
    const error = toAppError(problem);
    if (error.details.status === undefined || error.details.status === 401) throw error;
    return otherwise(error.message, error);
  }
}

/** The note for rows that cannot be compared with the model. */
export function uncheckedNote(error: AppError | null): string {
  return error === null || isUnknownToService(error)
    ? 'The service does not provide the schema of this model, so rows are not checked against it.'
    : `${MODEL_UNREAD}, so columns were not compared with it: ${error.message}`;
}

export function noModelError(): AppError {
  return new AppError(
    'INVALID_ARGUMENT',
    'Updates need the model’s event id column, and the model names none. Publish instead.',
  );
}
