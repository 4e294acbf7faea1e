/** One change sent to the service for a view: under way or not, and what came of the last one. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { OutboxEntry } from '../../electron/shared/outbox-model.ts';
import type { ActResult } from '../../electron/shared/resource-contract.ts';
import { client } from '../lib/client.ts';
import { type Act, putInOutbox } from './outbox.ts';

/** Sends one change, once. Throws AppError. */
function act(
  connectionId: string,
  { operation, path = {}, query = {}, body = null }: Act,
): Promise<ActResult> {
  return client.invoke('resources:act', {
    connectionId,
    operation,
    path: { ...path },
    query: { ...query },
    // Bodies are JSON made by forms; the channel's schema checks it on arrival.
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
   * Puts one change into the outbox; nothing is sent. `base`: the record as it is shown, null where none is. Null where
   * it could not be kept: `error` then says why.
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

  /** What the service answered, or null where it failed: `error` then says why. One at a time. */
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
