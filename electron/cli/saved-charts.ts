/** Charts that a person saved in the window, found by id or name. */
import { AppError } from '../shared/errors.ts';
import { jsonObject } from '../shared/json-body.ts';
import type { JsonObject } from '../shared/json-fields.ts';
import type { CommandContext } from './context.ts';
import { didYouMean } from './suggestions.ts';

interface SavedChart {
  id: string;
  name: string;
  /** Body of POST /v3/queries. */
  body: JsonObject;
}

/** Throws NOT_FOUND if there is no such chart, or more than one with that name. */
export async function savedChart(context: CommandContext, given: string): Promise<SavedChart> {
  const { layout } = await context.session();
  const { charts } = layout.read();
  const list = typeof charts === 'object' && charts !== null && 'list' in charts ? charts.list : [];
  const all = Array.isArray(list) ? list.flatMap(chart) : [];
  const found = all.filter(({ id, name }) => id === given || name === given);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const names = all.map(({ name }) => name);
  throw new AppError(
    'NOT_FOUND',
    found.length > 1
      ? `More than one saved chart is named ${given}. Use its id: ${found.map(({ id }) => id).join(', ')}.`
      : `No saved chart ${given} on this connection.${didYouMean(given, names)}`,
  );
}

function chart(value: unknown): SavedChart[] {
  if (typeof value !== 'object' || value === null || !('id' in value) || !('body' in value)) return [];
  const body = jsonObject.safeParse(value.body);
  if (typeof value.id !== 'string' || !body.success) return [];
  const name = 'name' in value && typeof value.name === 'string' ? value.name : 'Chart';
  return [{ id: value.id, name, body: body.data }];
}
