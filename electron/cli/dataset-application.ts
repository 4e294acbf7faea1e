/** Finds the application of a dataset. */
import { AppError } from '../shared/errors.ts';
import { textOf } from '../shared/json-fields.ts';
import type { CommandContext } from './context.ts';
import { readRecord } from './read-library.ts';

/**
 * The application's id. Throws ANSWER_INVALID if the dataset's record names none; `nextStep` is the end of its message.
 */
export async function applicationOfDataset(
  context: CommandContext,
  datasetId: string,
  nextStep = '',
): Promise<string> {
  const query = { operation: 'datasets.get', path: { dataset_id: datasetId }, query: {} };
  const { record } = await readRecord(context, query);
  const id = textOf(record['application'], 'id');
  if (id !== '') return id;
  throw new AppError(
    'ANSWER_INVALID',
    `Expected the application of the dataset in its record, got none.${nextStep}`,
  );
}
