/** Adds the verdicts of a review to the results of an existing run, by a file and a durable job. */
import type { ServiceClient } from '../api/types.ts';
import type { Clock } from '../core/ports.ts';
import type { Builds, ItemJobs } from '../datasets/types.ts';
import type { Library } from '../library/types.ts';
import { AppError } from '../shared/errors.ts';
import type { ItemsPlan, ItemsState } from '../shared/items-model.ts';
import { suggestResultColumns } from '../shared/result-columns.ts';
import type { VerdictTarget } from '../shared/review-model.ts';
import type { Settings } from '../shared/settings.ts';
import type { VerdictCounts } from '../shared/verdict-counts.ts';
import { type WrittenFileDeps, withWrittenFile } from './written-file.ts';

interface SendVerdictsDeps extends WrittenFileDeps {
  builds: Pick<Builds, 'countVerdicts' | 'writeVerdicts'>;
  items: Pick<ItemJobs, 'create' | 'list'>;
  library: Pick<Library, 'storedLists' | 'fetchAll'>;
  client: ServiceClient;
  clock: Pick<Clock, 'nowMs'>;
  settings: () => Pick<Settings, 'staleAfterMs'>;
}

export interface VerdictSender {
  /**
   * Counts the verdicts that `send` would add; sends nothing. Throws the errors of reading the results and of
   * `writeVerdicts`, and CONFLICT while an unfinished job adds verdicts to the experiment, because the results do not
   * have them yet.
   */
  preview(target: VerdictTarget): Promise<VerdictCounts>;
  /**
   * Starts the job that adds the verdicts. Throws the errors of `preview`, and INVALID_ARGUMENT if there are none to
   * add.
   */
  send(target: VerdictTarget): Promise<{ itemsId: string }>;
}

/** Results in one request. The service's limit is not published; if a request is refused, it is halved. */
const RESULTS_PER_REQUEST = 100;
/** Name of the file of such a job, by which it is recognized also after the next start. */
const FILE_NAME = 'verdicts.jsonl';
/** The fields of a line: an existing result, and the scores to add. */
const COLUMNS = suggestResultColumns([
  ...['experiment_id', 'experiment_item_id', 'dataset_item_id', 'status', 'timestamp'].map(
    (name) => ({ name, type: 'str' }) as const,
  ),
  { name: 'duration_ms', type: 'int' },
  { name: 'outputs', type: 'json' },
  { name: 'scores', type: 'json' },
]);

/**
 * Whether a job may still add verdicts. A failed one can be resumed, and would add again what another job has added
 * meanwhile.
 */
const mayStillSend = (state: ItemsState): boolean => state !== 'done' && state !== 'cancelled';

/** Reads the results from the service, because another person may have judged them in the meantime. */
async function readResults(
  { library, client, clock, settings }: SendVerdictsDeps,
  experimentId: string,
): Promise<void> {
  const query = { operation: 'experiments.results', path: { experiment_id: experimentId }, query: {} };
  try {
    await library.fetchAll({
      ...{ query, form: 'list', generationId: null, until: 'end' },
      notBeforeMs: clock.nowMs() - settings().staleAfterMs,
      ...{ client, group: `verdicts ${experimentId}`, signal: new AbortController().signal },
      onProgress: () => undefined,
    });
  } catch (problem) {
    // Without the service, complete stored results are enough, because the job waits until it can send.
    const isHere = library
      .storedLists()
      .some(
        ({ query: { operation, path, query: asked }, shown }) =>
          operation === query.operation &&
          path['experiment_id'] === experimentId &&
          Object.keys(asked).length === 0 &&
          shown.isComplete,
      );
    if (!isHere) throw problem;
  }
}

export function createVerdictSender(deps: SendVerdictsDeps): VerdictSender {
  const { builds, items } = deps;
  const begun = new Set<string>();
  const checkNoneUnfinished = ({ dataset, experiment }: VerdictTarget): void => {
    const unfinished = items
      .list(dataset.id)
      .find(
        ({ plan, state }) =>
          plan.experiment?.id === experiment.id && plan.fileName === FILE_NAME && mayStillSend(state),
      );
    if (unfinished === undefined && !begun.has(experiment.id)) return;
    const next = unfinished?.state === 'failed' ? 'Resume or remove' : 'Finish or cancel';
    throw new AppError(
      'CONFLICT',
      `Expected no unfinished job that adds verdicts to ${experiment.name}, got one that is ${unfinished?.state ?? 'starting'}. ${next} it in Activity, then add verdicts.`,
    );
  };
  const once = async <T>(target: VerdictTarget, work: () => Promise<T>): Promise<T> => {
    checkNoneUnfinished(target);
    begun.add(target.experiment.id);
    try {
      return await work();
    } finally {
      begun.delete(target.experiment.id);
    }
  };
  return {
    preview: async (target) => {
      const { buildId, dataset, experiment } = target;
      checkNoneUnfinished(target);
      await readResults(deps, experiment.id);
      return builds.countVerdicts(buildId, dataset.id, experiment);
    },
    send: (target) =>
      once(target, async () => {
        const { buildId, dataset, experiment } = target;
        await readResults(deps, experiment.id);
        const write = async (path: string) => {
          const { rows } = await builds.writeVerdicts(buildId, path, dataset.id, experiment);
          if (rows === 0)
            throw new AppError('INVALID_ARGUMENT', 'Expected at least one verdict to add, got none.');
        };
        return withWrittenFile(deps, FILE_NAME, write, (file) => {
          const plan: ItemsPlan = {
            ...{ datasetId: dataset.id, datasetName: dataset.name, experiment, ...file },
            ...{ columns: COLUMNS, flattens: false, onBadRow: 'stop', itemsPerRequest: RESULTS_PER_REQUEST },
          };
          return items.create(plan, true, null);
        });
      }),
  };
}
