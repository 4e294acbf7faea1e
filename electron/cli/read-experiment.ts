/** Reads an experiment with its results. */

import { readExperimentHere } from '../library/read-experiment-here.ts';
import { AppError } from '../shared/errors.ts';
import type { Freshness } from '../shared/model.ts';
import { shownName } from '../shared/plan-bounds.ts';
import type { CommandContext } from './context.ts';
import { resolveName } from './names.ts';
import { readList, readRecord } from './read-library.ts';

/**
 * Reads the record and all results of an experiment, or uses stored ones with --offline. Returns its id, and how much
 * of its results is stored. Throws NOT_FOUND for an unknown name.
 */
export async function readExperiment(
  context: CommandContext,
  typed: string,
): Promise<{ id: string; record: Readonly<Record<string, unknown>>; results: Freshness }> {
  const id = await resolveName(context, 'experiments.list', typed);
  const path = { experiment_id: id };
  const record = await recordOf(context, id);
  const query = { operation: 'experiments.results', path, query: {} };
  const { freshness } = await readList(context, query, Number.POSITIVE_INFINITY);
  return { id, record, results: freshness };
}

/** The record of an experiment. With --offline, if it is not stored, the row of a stored list is used. */
async function recordOf(context: CommandContext, id: string): Promise<Readonly<Record<string, unknown>>> {
  const query = { operation: 'experiments.get', path: { experiment_id: id }, query: {} };
  try {
    return (await readRecord(context, query)).record;
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.code !== 'NOT_STORED') throw thrown;
    const { record } = await readExperimentHere((await context.session()).library, id);
    if (record === null) throw thrown;
    return record;
  }
}

/** An experiment with its dataset. Its results are read to the end; with --offline, they must be stored. */
export async function experimentOf(
  context: CommandContext,
  typed: string,
): Promise<{ datasetId: string; datasetName: string; experiment: { id: string; name: string } }> {
  const { id, record } = await readExperiment(context, typed);
  const dataset = idAndName(record['dataset']);
  const { name } = idAndName(record) ?? { name: typed };
  if (dataset === null)
    throw new AppError('ANSWER_INVALID', `Expected the dataset of the experiment ${typed}, got none.`);
  return {
    datasetId: dataset.id,
    datasetName: shownName(dataset.name),
    experiment: { id, name: shownName(name) },
  };
}

function idAndName(value: unknown): { id: string; name: string } | null {
  if (typeof value !== 'object' || value === null || !('id' in value) || typeof value.id !== 'string')
    return null;
  return { id: value.id, name: 'name' in value && typeof value.name === 'string' ? value.name : value.id };
}
