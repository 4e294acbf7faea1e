/** Reads an experiment for a comparison. */
import type { Freshness } from '../shared/model.ts';
import type { CommandContext } from './context.ts';
import { resolveName } from './names.ts';
import { readList, readRecord } from './read-library.ts';

/**
 * Reads the record and all results of an experiment, or takes what is stored with --offline; returns its id, and how
 * much of its results is stored. Throws NOT_FOUND for an unknown name.
 */
export async function readExperiment(
  context: CommandContext,
  typed: string,
): Promise<{ id: string; record: Readonly<Record<string, unknown>>; results: Freshness }> {
  const id = await resolveName(context, 'experiments.list', typed);
  const path = { experiment_id: id };
  const { record } = await readRecord(context, { operation: 'experiments.get', path, query: {} });
  const query = { operation: 'experiments.results', path, query: {} };
  const { freshness } = await readList(context, query, Number.POSITIVE_INFINITY);
  return { id, record, results: freshness };
}
