/** Rows of a stored list as they are read: where they are too much for one message, in several. */
import type { InvokeArgs, InvokeResults } from '../../electron/shared/contract.ts';
import type { client } from '../lib/client.ts';

type Client = Pick<typeof client, 'invoke'>;
type Request = InvokeArgs<'library:read-rows'>;
type Answer = InvokeResults['library:read-rows'];

/** One answer after another, until all rows that were asked for are here or nobody takes the next. */
export async function* rowAnswers(from: Client, request: Request): AsyncGenerator<Answer> {
  const { offset, limit } = request.window;
  let next: number | undefined = offset;
  while (next !== undefined && next < offset + limit) {
    const window = { ...request.window, offset: next, limit: offset + limit - next };
    const answer: Answer = await from.invoke('library:read-rows', { ...request, window });
    yield answer;
    next = answer.nextOffset;
  }
}

/** All of them at once. */
export async function readRows(from: Client, request: Request): Promise<Answer> {
  const whole: Answer = { rows: [], matchingRows: 0 };
  for await (const { rows, matchingRows } of rowAnswers(from, request)) {
    whole.rows.push(...rows);
    whole.matchingRows = matchingRows;
  }
  return whole;
}
