/** Outcomes of the values of an upload, as counted by the check of its whole file. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { ValueLedger } from '../../electron/shared/value-ledger.ts';
import { client } from '../lib/client.ts';
import { LatestRequest } from './newest.ts';

export class UploadLedger {
  /** Null until it is read. */
  ledger = $state.raw<ValueLedger | null>(null);
  error = $state.raw<AppError | null>(null);
  readonly #latest = new LatestRequest();

  async read(connectionId: string, jobId: string): Promise<void> {
    const isLast = this.#latest.ask();
    try {
      const { ledger } = await client.invoke('uploads:read-check', { connectionId, jobId });
      if (!isLast()) return;
      this.ledger = ledger;
      this.error = null;
    } catch (thrown) {
      if (isLast()) this.error = toAppError(thrown);
    }
  }
}
