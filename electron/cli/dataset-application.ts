/** The application that a dataset belongs to. */
import { AppError } from '../shared/errors.ts';
import { textOf } from '../shared/json-fields.ts';
import type { CommandContext } from './context.ts';
import { readRecord } from './read-library.ts';

/** Its id. Throws ANSWER_INVALID where the record names none; `wayOut` says what helps then. */
export async function applicationOfDataset(
  context: CommandContext,
  datasetId: string,
  wayOut = '',
): Promise<string> {
  const query = { operation: 'datasets.get', path: { dataset_id: datasetId }, query: {} };
  const { record } = await readRecord(context, query);
  const id = textOf(record['application'], 'id');
  if (id !== '') return id;
  throw new AppError(
    'ANSWER_INVALID',
    `Expected the application of the dataset in its record, got none.${wayOut}`,
  );
}
