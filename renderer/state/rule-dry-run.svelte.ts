/** A dry run of an evaluator rule on stored spans. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import { writeExact } from '../../electron/shared/exact-json.ts';
import type { RuleDraft, RuleDryRun } from '../../electron/shared/rule-dry-run.ts';
import { client as realClient } from '../lib/client.ts';

export class RuleDryRunState {
  result = $state.raw<RuleDryRun | null>(null);
  error = $state.raw<AppError | null>(null);
  isRunning = $state(false);
  /** The draft that the result is for, as text. */
  #shown = '';
  #turn = 0;
  readonly #connectionId: string;
  readonly #client: Pick<typeof realClient, 'invoke'>;

  constructor(connectionId: string, client: Pick<typeof realClient, 'invoke'> = realClient) {
    this.#connectionId = connectionId;
    this.#client = client;
  }

  /** Shows a draft: the result of another draft is removed, and no longer waited for. */
  show(draft: RuleDraft | null): void {
    const shown = draft === null ? '' : writeExact(draft);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#turn += 1;
    this.result = null;
    this.error = null;
    this.isRunning = false;
  }

  /** Tries the draft on stored spans. Never throws: an error is shown in the form. */
  async run(draft: RuleDraft): Promise<void> {
    this.show(draft);
    if (this.isRunning) return;
    const turn = this.#turn;
    this.isRunning = true;
    try {
      const result = await this.#client.invoke('resources:dry-run', {
        connectionId: this.#connectionId,
        draft,
      });
      if (turn !== this.#turn) return;
      this.result = result;
      this.error = null;
    } catch (thrown) {
      if (turn === this.#turn) this.error = toAppError(thrown);
    } finally {
      if (turn === this.#turn) this.isRunning = false;
    }
  }
}
