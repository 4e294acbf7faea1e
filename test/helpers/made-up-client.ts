/** A client whose answers the test defines. It is complete, so that the type checker detects a missing method. */
import type { RowSet } from '../../electron/api/answer-protocol.ts';
import {
  endpoint,
  type ItemOf,
  isOperationId,
  type OperationId,
  type ValueOf,
} from '../../electron/api/endpoints.ts';
import { operationText } from '../../electron/api/request-target.ts';
import type { Answer, CallInput, CallOptions, Page, ServiceClient } from '../../electron/api/types.ts';

/** The answer to a call. The test must make sure that it has the shape of the operation. */
interface Answers {
  readonly call: (operation: OperationId, input: CallInput, options: CallOptions) => Promise<unknown>;
  /** The items of the only page. */
  readonly list: (operation: OperationId, input: CallInput) => Promise<readonly unknown[]>;
  readonly rows: (operation: OperationId, input: CallInput, options: CallOptions) => Promise<RowSet>;
}

/** For a method that the test does not expect to be called. */
export const notAsked = (): Promise<never> =>
  Promise.reject(new Error('The test makes up no answer to this.'));

const answerOf = <T>(value: T): Answer<T> => ({
  value,
  status: 200,
  requestId: 'request',
  receivedAtMs: 1,
  sizeBytes: 100,
});

export function madeUpClient({ call, list, rows }: Answers): ServiceClient {
  return {
    describe: (id) => {
      if (!isOperationId(id)) throw new Error(`Expected an operation, got ${id}.`);
      const row = endpoint(id);
      const { title, identity } = row;
      const isList = row.answer === 'paginated';
      return { id, title, text: operationText(row), identity, ordersIn: null, isList, isRead: !row.isWrite };
    },
    whenFree: async () => undefined,
    call: async <O extends OperationId>(operation: O, input: CallInput, options: CallOptions) =>
      answerOf((await call(operation, input, options)) as ValueOf<O>),
    list: async <O extends OperationId>(operation: O, input: CallInput) => {
      const items = (await list(operation, input)) as ItemOf<O>[];
      const page: Page<ItemOf<O>> = {
        items,
        itemCount: items.length,
        total: items.length,
        pageSize: null,
        offset: 0,
      };
      return answerOf(page);
    },
    rows: async (_kind, operation, input, options) => answerOf(await rows(operation, input, options)),
    request: notAsked,
  };
}
