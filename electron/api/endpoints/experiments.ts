/** Experiments: runs of an application over a dataset, with their results and metrics (SERVICE.md F10). */
import * as z from '../../shared/zod.ts';
import * as records from '../records.ts';
import { type Endpoint, list, nothing, read, write } from './row.ts';

const fields = z.record(z.string(), z.unknown());

export const createExperimentBody = z.looseObject({
  name: z.string().min(1),
  application_id: z.uuid(),
  dataset_id: z.uuid(),
  description: z.string().nullish(),
  metadata: fields.nullish(),
});

/** Each field replaces the stored one; an empty text or object clears it. */
export const updateExperimentBody = z.looseObject({
  description: z.string().nullish(),
  metadata: fields.nullish(),
  status: z.string().optional(),
  error_reason: z.string().nullish(),
  error_message: z.string().nullish(),
  traceback: z.string().nullish(),
  duration_ms: z.int().nullish(),
});

const newScore = z.looseObject({
  evaluator_name: z.string().min(1),
  name: z.string().min(1),
  value: z.number().nullish(),
  label: z.string().nullish(),
  reasoning: z.string().nullish(),
  status: z.string().optional(),
  error_reason: z.string().nullish(),
  error_message: z.string().nullish(),
});

const newResult = z.looseObject({
  /** The client chooses the id and the time. */
  experiment_item: z.looseObject({
    id: z.uuid(),
    dataset_item_id: z.string().min(1),
    outputs: fields,
    duration_ms: z.int().nullish(),
    timestamp: z.string().min(1),
    status: z.string().min(1),
    error_reason: z.string().nullish(),
    error_message: z.string().nullish(),
  }),
  scores: z.array(newScore),
});
export type NewResult = z.infer<typeof newResult>;

export const addResultsBody = z.looseObject({ results: z.array(newResult).min(1) });
export type AddResultsBody = z.infer<typeof addResultsBody>;

export const experimentEndpoints = {
  'experiments.list': list({
    path: '/v3/evals/experiments',
    title: 'Experiments',
    help: 'Runs of an application over a dataset.',
    section: 'F10.1',
    errors: [400, 500],
    // The parameters for search and ordering are not published.
    query: { filter: 'filter' },
    item: records.experiment,
  }),
  'experiments.create': write({
    method: 'POST',
    path: '/v3/evals/experiments',
    title: 'Create an experiment',
    help: 'An experiment without results. Its name, unique in the application, cannot be changed later.',
    section: 'F10.1',
    errors: [400, 409, 500],
    body: createExperimentBody,
    item: records.experiment,
  }),
  'experiments.get': read({
    path: '/v3/evals/experiments/{experiment_id}',
    title: 'Experiment',
    help: 'One experiment.',
    section: 'F10.1',
    errors: [404, 500],
    item: records.experiment,
  }),
  'experiments.update': write({
    method: 'PATCH',
    path: '/v3/evals/experiments/{experiment_id}',
    title: 'Change an experiment',
    help: 'Replaces description and metadata, or reports the state of the run.',
    section: 'F10.1',
    errors: [400, 404, 500],
    body: updateExperimentBody,
    item: records.experiment,
    isRepeatSafe: true,
  }),
  'experiments.delete': write({
    method: 'DELETE',
    path: '/v3/evals/experiments/{experiment_id}',
    title: 'Delete an experiment',
    help: 'Deletes the experiment with its results and metrics.',
    section: 'F10.1',
    errors: [404, 500],
    successStatus: 204,
    answer: 'empty',
    body: null,
    item: nothing,
    isRepeatSafe: true,
  }),
  'experiments.results': list({
    path: '/v3/evals/experiments/{experiment_id}/results',
    title: 'Experiment results',
    help: 'Outputs, inputs, expected outputs and scores of each item of an experiment.',
    section: 'F10.3',
    errors: [400, 404, 500],
    query: { filter: 'filter', ordering: 'text' },
    item: records.experimentResult,
    // The names of the fields are not published.
    identity: null,
  }),
  'experiments.metrics': read({
    path: '/v3/evals/experiments/{experiment_id}/metrics',
    title: 'Experiment metrics',
    help: 'Scores of an experiment, summed up for each evaluator.',
    section: 'F10.4',
    errors: [404, 500],
    item: records.openAnswer,
    identity: null,
  }),
  'experiments.metric-rows': read({
    path: '/v3/evals/experiments/{experiment_id}/metrics/rows',
    title: 'Experiment rows of note',
    help: 'The items with the highest and the lowest scores.',
    section: 'F10.4',
    errors: [404, 500],
    item: records.experimentRows,
    identity: null,
  }),
  'experiments.add-results': write({
    method: 'POST',
    path: '/v3/evals/experiments/{experiment_id}/results',
    title: 'Add results',
    help: 'Adds results to an experiment; a result sent again adds its new scores.',
    section: 'F10.2',
    errors: [400, 404, 500],
    body: addResultsBody,
    item: nothing,
    identity: null,
    limit: 'unlisted',
  }),
} satisfies Record<string, Endpoint>;
