/** A change that a view sends to the service: whether it is in progress, and the result of the last one. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { OutboxEntry } from '../../electron/shared/outbox-model.ts';
import type { ActResult } from '../../electron/shared/resource-contract.ts';
import { client } from '../lib/client.ts';
import { type Act, putInOutbox } from './outbox.ts';

/** Sends a change, once. Throws AppError. */
function act(
  connectionId: string,
  { operation, path = {}, query = {}, body = null }: Act,
): Promise<ActResult> {
  return client.invoke('resources:act', {
    connectionId,
    operation,
    path: { ...path },
    query: { ...query },
    // Bodies are JSON made by forms; the schema of the channel validates them in the main process.
    body,
  });
}

export class ActState {
  isSending = $state(false);
  error = $state.raw<AppError | null>(null);
  readonly connectionId: string;

  constructor(connectionId: string) {
    this.connectionId = connectionId;
  }

  /**
   * Puts a change into the outbox without sending it. `base`: the record as shown; null if there is none. Returns null
   * if the change could not be stored; `error` then has the reason.
   */
  async put(request: Act, base: Readonly<Record<string, unknown>> | null): Promise<OutboxEntry | null> {
    if (this.isSending) return null;
    this.isSending = true;
    this.error = null;
    try {
      return await putInOutbox(this.connectionId, { request, base });
    } catch (thrown) {
      this.error = toAppError(thrown);
      return null;
    } finally {
      this.isSending = false;
    }
  }

  /**
   * Sends a change unless another one is in progress. Returns the response of the service, or null if it failed;
   * `error` then has the reason.
   */
  async run(request: Act): Promise<ActResult | null> {
    if (this.isSending) return null;
    this.isSending = true;
    this.error = null;
    try {
      return await act(this.connectionId, request);
    } catch (thrown) {
      this.error = toAppError(thrown);
      return null;
    } finally {
      this.isSending = false;
    }
  }
}
