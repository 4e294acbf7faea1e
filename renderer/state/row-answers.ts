/** Reads rows of a stored list, in several messages if they are too large for one. */
import type { InvokeArgs, InvokeResults } from '../../electron/shared/contract.ts';
import { wholeRow } from '../../electron/shared/record-parts.ts';
import type { client } from '../lib/client.ts';

type Client = Pick<typeof client, 'invoke'>;
type Request = InvokeArgs<'library:read-rows'>;
type Answer = InvokeResults['library:read-rows'];

/**
 * Yields answers until all requested rows are loaded or the consumer stops. `first`: an answer that is already loaded.
 */
export async function* rowAnswers(
  from: Client,
  request: Request,
  first: Answer | null = null,
): AsyncGenerator<Answer> {
  const { connectionId } = request;
  const { offset, limit } = request.window;
  let next: number | undefined = offset;
  if (first !== null) {
    yield* withLongRows(from, connectionId, first);
    next = first.nextOffset;
  }
  while (next !== undefined && next < offset + limit) {
    const window = { ...request.window, offset: next, limit: offset + limit - next };
    const answer: Answer = await from.invoke('library:read-rows', { ...request, window });
    yield* withLongRows(from, connectionId, answer);
    next = answer.nextOffset;
  }
}

/** Yields the answers of `from`. Each long row is yielded separately, because it is read in messages of its own. */
async function* withLongRows(from: Client, connectionId: string, answer: Answer): AsyncGenerator<Answer> {
  let rows: Answer['rows'] = [];
  for (const row of answer.rows) {
    rows.push(await wholeRow(row, (part) => from.invoke('app:read-part', { connectionId, ...part })));
    if (row.parts === undefined || row === answer.rows.at(-1)) continue;
    yield { ...answer, rows, nextOffset: row.position + 1 };
    rows = [];
  }
  yield { ...answer, rows };
}

/** Reads all requested rows. */
export async function readRows(from: Client, request: Request, first: Answer | null = null): Promise<Answer> {
  const whole: Answer = { rows: [], matchingRows: 0 };
  for await (const { rows, matchingRows } of rowAnswers(from, request, first)) {
    whole.rows.push(...rows);
    whole.matchingRows = matchingRows;
  }
  return whole;
}
