/**
 * Records that depend on, or refer to, a record to be deleted. Their lists are derived from the paths and bodies of the
 * endpoint table.
 */
import { ENDPOINTS, endpoint, OPERATION_IDS, type OperationId } from '../api/endpoints.ts';
import { toAppError } from '../shared/errors.ts';
import { bodyFields } from './body-fields.ts';
import type { CommandContext } from './context.ts';
import { readList } from './read-library.ts';
import { pathParameters, RESOURCES } from './resource-table.ts';

export interface Dependent {
  /** Title of the list, e.g. "Dataset items". */
  what: string;
  /** Null if the service states no number. */
  count: number | null;
}

/** Counts the records that belong or refer to the record with this id, with one read for each list. */
export async function dependentsOf(
  context: CommandContext,
  parameter: string,
  id: string,
): Promise<Dependent[]> {
  const below = listsBelow(parameter).map(async (operation) => ({
    what: endpoint(operation).title,
    count: await counted(context, async () => {
      const { freshness } = await readList(context, { operation, path: { [parameter]: id }, query: {} }, 1);
      return freshness.totalRows ?? freshness.storedRows;
    }),
  }));
  const naming = listsNaming(parameter).map(async (operation) => ({
    what: endpoint(operation).title,
    count: await counted(context, async () => {
      const { rows } = await readList(context, { operation, path: {}, query: {} }, Number.POSITIVE_INFINITY);
      return rows.filter(({ record }) => names(record, parameter, id)).length;
    }),
  }));
  return (await Promise.all([...below, ...naming])).filter(({ count }) => count !== 0);
}

/**
 * Lists below a record in the path, e.g. `/v3/evals/datasets/{dataset_id}/items` for `dataset_id`. Lists that need
 * further parameters are left out.
 */
function listsBelow(parameter: string): OperationId[] {
  return OPERATION_IDS.filter((id) => {
    const { answer, method, requiredQuery } = endpoint(id);
    const isList = method === 'GET' && answer === 'paginated' && requiredQuery.length === 0;
    return isList && pathParameters(ENDPOINTS[id]).includes(parameter);
  });
}

/** Lists of resources whose bodies for creation have the parameter, e.g. datasets for `application_id`. */
function listsNaming(parameter: string): OperationId[] {
  return RESOURCES.flatMap(({ operations }) => {
    const isNamed = operations.create.some((id) => bodyFields(id).some(({ name }) => name === parameter));
    const lister = operations.ls.find((id) => pathParameters(endpoint(id)).length === 0);
    return isNamed && lister !== undefined ? [lister] : [];
  });
}

/** Whether a record names another by `application_id: id`, or by `application: {id}`. */
function names(record: Record<string, unknown>, parameter: string, id: string): boolean {
  if (record[parameter] === id) return true;
  const reference = record[parameter.replace(/_id$/, '')];
  return typeof reference === 'object' && reference !== null && 'id' in reference && reference.id === id;
}

async function counted(context: CommandContext, count: () => Promise<number>): Promise<number | null> {
  try {
    return await count();
  } catch (thrown) {
    const { code, message } = toAppError(thrown);
    context.output.note(`not counted, ${code}: ${message}`);
    return null;
  }
}
