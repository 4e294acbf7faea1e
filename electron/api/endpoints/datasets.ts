/** Evaluation datasets and their items (INTERFACE 4.9, API_FACTS 3). */
import * as records from '../records.ts';
import { type Endpoint, list, read } from './row.ts';

export const datasetEndpoints = {
  'datasets.list': list({
    path: '/v3/evals/datasets',
    title: 'Datasets',
    help: 'Evaluation datasets.',
    section: '4.9',
    errors: [400, 500],
    item: records.evalDataset,
  }),
  'datasets.get': read({
    path: '/v3/evals/datasets/{dataset_id}',
    title: 'Dataset',
    help: 'One evaluation dataset.',
    section: '4.9',
    errors: [404, 500],
    item: records.evalDataset,
  }),
  'datasets.items': list({
    path: '/v3/evals/datasets/{dataset_id}/items',
    title: 'Dataset items',
    help: 'Items of a dataset with their four buckets.',
    section: '4.9',
    errors: [400, 401, 403, 404, 500],
    query: { ordering: 'text' },
    item: records.datasetItem,
  }),
  'datasets.schema': read({
    path: '/v3/evals/datasets/{dataset_id}/schema',
    title: 'Dataset schema',
    help: 'Keys of each bucket, how many items hold them, and their types.',
    section: '4.9',
    errors: [401, 403, 404, 500],
    item: records.datasetSchema,
    identity: null,
  }),
} satisfies Record<string, Endpoint>;
