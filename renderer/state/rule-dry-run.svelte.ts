/** A dry run of an evaluator rule on stored spans. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { RuleDraft, RuleDryRun } from '../../electron/shared/rule-dry-run.ts';
import { client as realClient } from '../lib/client.ts';

export class RuleDryRunState {
  result = $state.raw<RuleDryRun | null>(null);
  error = $state.raw<AppError | null>(null);
  isRunning = $state(false);
  readonly #connectionId: string;
  readonly #client: Pick<typeof realClient, 'invoke'>;

  constructor(connectionId: string, client: Pick<typeof realClient, 'invoke'> = realClient) {
    this.#connectionId = connectionId;
    this.#client = client;
  }

  /** Never throws: the error is shown in place. */
  async run(draft: RuleDraft): Promise<void> {
    if (this.isRunning) return;
    this.isRunning = true;
    try {
      this.result = await this.#client.invoke('resources:dry-run', {
        connectionId: this.#connectionId,
        draft,
      });
      this.error = null;
    } catch (thrown) {
      this.error = toAppError(thrown);
    } finally {
      this.isRunning = false;
    }
  }
}
