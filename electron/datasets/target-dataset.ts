/**
 * The dataset that a build writes to. It is created once; if the answer to its creation was lost, it is found by name.
 */
import type { CallOptions } from '../api/types.ts';
import type { ItemBaseline, StoredBuild } from '../db/build-store.ts';
import { BUCKETS } from '../shared/dataset-model.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { BuildLedger } from './build-ledger.ts';
import type { DatasetsDeps } from './types.ts';

type TargetDeps = Pick<DatasetsDeps, 'client' | 'clock' | 'onDatasetChanged'>;

const PAGE = 100;
const MAX_PAGES = 200;

/** A job that writes to a dataset and may have to create it. */
interface TargetJob {
  /** Name of the request group of the job. */
  readonly group: string;
  readonly stored: Pick<StoredBuild, 'datasetId' | 'target' | 'applicationId' | 'creatingSinceMs'>;
  /** Stores the changes; they are on disk when it returns. */
  note(changes: Partial<Pick<StoredBuild, 'datasetId' | 'creatingSinceMs'>>): void;
}

/** Request group of a build. */
const groupOf = ({ id }: Pick<BuildLedger, 'id'>): string => `build ${id}`;

export function callOptions(ledger: BuildLedger, signal?: AbortSignal): CallOptions {
  return optionsOf(groupOf(ledger), signal);
}

function optionsOf(group: string, signal?: AbortSignal): CallOptions {
  const options = { priority: 'click', group } as const;
  return signal === undefined ? options : { ...options, signal };
}

export function targetJobOf(ledger: BuildLedger): TargetJob {
  return {
    group: groupOf(ledger),
    get stored() {
      return ledger.stored;
    },
    note: (changes) => ledger.apply([], changes),
  };
}

/** Ensures that the target dataset exists. Throws AppError; the check is then repeated when the build resumes. */
export async function ensureDataset(deps: TargetDeps, job: TargetJob, signal: AbortSignal): Promise<string> {
  const { datasetId, target } = job.stored;
  if (datasetId !== null) return datasetId;
  if (target === null) throw new AppError('INVALID_ARGUMENT', 'Choose a dataset or name a new one.');
  if (target.kind === 'existing') {
    job.note({ datasetId: target.datasetId });
    return target.datasetId;
  }
  const made = job.stored.creatingSinceMs === null ? null : await findMade(deps, job, target.name, signal);
  const id = made ?? (await makeDataset(deps, job, signal));
  job.note({ datasetId: id, creatingSinceMs: null });
  deps.onDatasetChanged(id);
  return id;
}

async function makeDataset(deps: TargetDeps, job: TargetJob, signal: AbortSignal): Promise<string> {
  const { target, applicationId, creatingSinceMs } = job.stored;
  if (target?.kind !== 'new') throw new AppError('INTERNAL', 'There is no new dataset to make.');
  const wasTried = creatingSinceMs !== null;
  job.note({ creatingSinceMs: creatingSinceMs ?? deps.clock.nowMs() });
  try {
    const body = {
      name: target.name,
      application_id: applicationId,
      ...(target.description === null ? {} : { description: target.description }),
      ...(target.metadata === null ? {} : { metadata: target.metadata }),
    };
    const { value } = await deps.client.call('datasets.create', { body }, optionsOf(job.group, signal));
    return value.id;
  } catch (problem) {
    const error = toAppError(problem);
    const status = error.details.status;
    if (status === 409 && wasTried) {
      const found = await findMade(deps, job, target.name, signal);
      if (found !== null) return found;
    }
    const isSurelyNotMade =
      error.details.outcome === 'unsent' ||
      (status !== undefined && status >= 400 && status < 500 && status !== 408);
    if (isSurelyNotMade && !wasTried) job.note({ creatingSinceMs: null });
    throw status === 409 ? nameTaken(target.name, error) : error;
  }
}

function nameTaken(name: string, error: AppError): AppError {
  return new AppError(
    'CONFLICT',
    `A dataset named ${name} exists in this application already. Use another name, or choose that dataset.`,
    error.details,
    error,
  );
}

/**
 * The dataset of this name, if the request to create it was not answered. Throws CONFLICT if the dataset has items,
 * because then somebody else created it.
 */
async function findMade(
  deps: TargetDeps,
  job: TargetJob,
  name: string,
  signal: AbortSignal,
): Promise<string | null> {
  const { applicationId } = job.stored;
  const found = await findByName(deps, job, { name, applicationId }, signal);
  if (found === null) return null;
  const baseline = await countItems(deps, job.group, found, signal);
  if (baseline.items === 0) return found;
  throw new AppError(
    'CONFLICT',
    `The answer to creating the dataset ${name} was lost, and a dataset with that name now exists with ${
      baseline.items === null ? 'an unknown number of' : baseline.items
    } items. Use another name, or choose that dataset.`,
  );
}

/**
 * The id of the application's dataset with this name, or null. The name is compared here too, not only by the service.
 * Throws CONFLICT if the list does not end.
 */
async function findByName(
  { client }: Pick<DatasetsDeps, 'client'>,
  job: TargetJob,
  { name, applicationId }: { name: string; applicationId: string },
  signal: AbortSignal,
): Promise<string | null> {
  const rules = [
    { field: 'application_id', operator: 'equal', value: applicationId },
    { field: 'name', operator: 'equal', value: name },
  ];
  const filter = JSON.stringify({ condition: 'AND', rules });
  for (let page = 0, offset = 0; page < MAX_PAGES; page += 1) {
    const { value } = await client.list(
      'datasets.list',
      { query: { filter }, paging: { limit: PAGE, offset } },
      optionsOf(job.group, signal),
    );
    const found = value.items.find(
      (dataset) =>
        dataset.name === name &&
        (dataset.application?.id === undefined ||
          dataset.application.id === null ||
          dataset.application.id === applicationId),
    );
    if (found !== undefined) return found.id;
    offset += value.items.length;
    if (value.items.length === 0 || (value.total !== null && offset >= value.total)) return null;
  }
  throw new AppError(
    'CONFLICT',
    `Whether there is a dataset named ${name} is not known: the list of datasets did not end after ${MAX_PAGES} pages. Choose the dataset if it exists; otherwise use another name.`,
  );
}

/** `fields`: paths of all fields that occur in items, e.g. `inputs.question`; null if unknown. */
interface ItemCount extends ItemBaseline {
  fields: ReadonlySet<string> | null;
}

/**
 * The dataset's number of items according to its schema. Throws NOT_FOUND if it no longer exists, and temporary errors.
 */
export function readItemCount(
  deps: Pick<DatasetsDeps, 'client' | 'clock'>,
  ledger: BuildLedger,
  datasetId: string,
  signal: AbortSignal,
): Promise<ItemCount> {
  return countItems(deps, groupOf(ledger), datasetId, signal);
}

async function countItems(
  { client, clock }: Pick<DatasetsDeps, 'client' | 'clock'>,
  group: string,
  datasetId: string,
  signal: AbortSignal,
): Promise<ItemCount> {
  const none = (reason: string): ItemCount => ({ items: null, reason, atMs: clock.nowMs(), fields: null });
  try {
    const { value } = await client.call(
      'datasets.schema',
      { path: { dataset_id: datasetId } },
      optionsOf(group, signal),
    );
    if (value.sampled === true) return none('the service counts a sample of the items only');
    const fields = new Set(
      BUCKETS.flatMap((bucket) => Object.keys(value[bucket] ?? {}).map((name) => `${bucket}.${name}`)),
    );
    return { items: value.total_items, reason: '', atMs: clock.nowMs(), fields };
  } catch (problem) {
    const error = toAppError(problem);
    // A token with write access may lack read access. The count is only a check, so its failure is accepted.
    if (error.code === 'FORBIDDEN' || error.code === 'ANSWER_INVALID') return none(error.message);
    throw error;
  }
}
