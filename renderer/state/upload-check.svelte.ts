/** The check of a whole file that is being prepared: read by main, its bad rows counted, nothing sent. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { DryRun, UploadPlan } from '../../electron/shared/upload-model.ts';
import type { PreparedUpload } from '../../electron/shared/upload-preparation.ts';
import { client } from '../lib/client.ts';
import { CheckedRows } from './checked-rows.svelte.ts';
import { Newest } from './newest.ts';

/** Of the upload that is prepared, what a check needs. */
interface Prepared {
  readonly connectionId: string;
  /** Null while it is not whole. */
  readonly plan: UploadPlan | null;
}

export class UploadCheck {
  /** The last one, whatever became of it. */
  run = $state.raw<DryRun | null>(null);
  error = $state.raw<AppError | null>(null);
  /** The plan that it was made of, as text. */
  #plan = $state.raw<string | null>(null);
  readonly #draft: Prepared;
  /** It came back with its file: its plan has the readings that the file decided, too. */
  #isBack = $state(false);
  readonly #isOfPlan = $derived.by(() => this.#plan === readingOf(this.#draft.plan, this.#isBack));
  /** The finished one, only while it still speaks of the plan as it is now. */
  readonly done = $derived(this.run?.phase === 'done' && this.#isOfPlan ? this.run : null);
  readonly isOutdated = $derived(this.run !== null && this.#plan !== null && !this.#isOfPlan);

  /** Single rows as the last one saw them. */
  readonly rows = new CheckedRows(() => this.#draft.connectionId);

  /** By the id of the check. */
  readonly #newest = new Newest();
  /** The newest event of each check, until the answer says which of them is ours. */
  readonly #early = new Map<string, DryRun>();
  readonly #stopListening: () => void;
  #isStarting = false;
  /** The plan was changed while the file was read by the one before. */
  #isAskedAgain = false;
  /** The last one that ended well: what it knows of the model answers for single values. */
  #doneId: string | null = null;

  constructor(draft: Prepared) {
    this.#draft = draft;
    this.#stopListening = client.on('uploads:dry-run-changed', ({ connectionId, dryRun }, seq) => {
      if (connectionId !== draft.connectionId) return;
      if (!this.#isShown(dryRun.dryRunId) && !this.#isStarting) return;
      if (!this.#newest.takes(seq, dryRun.dryRunId)) return;
      if (this.#isShown(dryRun.dryRunId)) this.#take(dryRun);
      else this.#early.set(dryRun.dryRunId, dryRun);
    });
  }

  #take(run: DryRun): void {
    this.run = run;
    if (run.phase === 'done') this.#doneId = run.dryRunId;
    if (run.phase === 'running' || !this.#isAskedAgain || this.#isStarting) return;
    this.#isAskedAgain = false;
    if (!this.#isOfPlan) void this.start();
  }

  #isShown(dryRunId: string): boolean {
    return this.run?.dryRunId === dryRunId;
  }

  /** Of a file that comes back. */
  takeBack({ dryRun, plan }: NonNullable<PreparedUpload['check']>): void {
    this.#isBack = true;
    this.#plan = readingOf(plan, true);
    this.#take(dryRun);
  }

  /** Reads the file by the plan as it is now, where it was read before; once a reading under way has ended. */
  again(): void {
    if (this.#isStarting || this.run?.phase === 'running') this.#isAskedAgain = true;
    else if (this.run?.phase === 'done' || this.run?.phase === 'failed') void this.start();
  }

  async start(): Promise<void> {
    const { plan, connectionId } = this.#draft;
    if (plan === null || this.#isStarting) return;
    this.error = null;
    this.run = null;
    this.#isStarting = true;
    this.#isBack = false;
    this.#plan = readingOf(plan);
    try {
      const { value, seq } = await client.ask('uploads:start-dry-run', { connectionId, plan });
      const isNewest = this.#newest.takes(seq, value.dryRunId);
      this.#isStarting = false;
      this.#take(isNewest ? value : (this.#early.get(value.dryRunId) ?? value));
    } catch (thrown) {
      this.error = toAppError(thrown);
    } finally {
      this.#isStarting = false;
      this.#early.clear();
    }
  }

  /** Why a text cannot stand in place of a value of a column, in words; null where it can. Throws AppError. */
  async problemOf(source: string, text: string | null): Promise<string | null> {
    const dryRunId = this.#doneId;
    if (dryRunId === null) return null;
    const { connectionId } = this.#draft;
    return (await client.invoke('uploads:check-value', { connectionId, dryRunId, source, text })).problem;
  }

  /** What was sent since it ended belongs to it, too. */
  async lookAgain(): Promise<void> {
    const { run } = this;
    if (run?.phase !== 'done') return;
    const { connectionId } = this.#draft;
    const { dryRunId } = run;
    const { value, seq } = await client.ask('uploads:get-dry-run', { connectionId, dryRunId });
    if (this.#isShown(dryRunId) && this.#newest.takes(seq, dryRunId)) this.run = value;
  }

  async cancel(): Promise<void> {
    this.#isAskedAgain = false;
    if (this.run?.phase !== 'running') return;
    const { dryRunId } = this.run;
    const { connectionId } = this.#draft;
    try {
      const { value, seq } = await client.ask('uploads:cancel-dry-run', { connectionId, dryRunId });
      // Another one may have been started meanwhile.
      if (this.#isShown(dryRunId) && this.#newest.takes(seq, dryRunId)) this.run = value;
    } catch (thrown) {
      this.error = toAppError(thrown);
    }
  }

  dispose(): void {
    this.#stopListening();
    void this.cancel();
  }
}

/**
 * All of a plan that a check depends on: what is done with bad rows is decided after it. `isBack`: without the readings of
 * columns, of which a stored plan holds those that the file decided beside those that a person chose.
 */
function readingOf(plan: UploadPlan | null, isBack = false): string | null {
  if (plan === null) return null;
  const { fileId, dialect, columns, constants, repairs, replacements, cellEdits } = plan;
  const { modelId, modelName, envType, envName } = plan;
  const { mode, batchRows, maxBatchBytes, takesNewKeys = false } = plan;
  const { format, encoding, delimiter, quote, hasHeader, nullWords } = dialect;
  const { escape: escaping = null, headerLine = null, hasIndex = null, trailing = null } = dialect;
  // Part by part: a plan that was stored may have them in another order.
  return JSON.stringify([
    [fileId, modelId, modelName, envType, envName, mode, batchRows, maxBatchBytes, takesNewKeys],
    [format, encoding, delimiter, quote, hasHeader, nullWords, escaping, headerLine, hasIndex, trailing],
    columns.map(({ source, target, type, reading = {} }) => [
      ...[source, target, type],
      ...(isBack ? [] : [reading.nulls, reading.decimal, reading.days, reading.zone, reading.unit]),
    ]),
    (constants ?? []).map(({ target, type, value }) => [target, type, value]),
    (repairs ?? []).map(({ source, problem, kind }) => [source, problem, kind]),
    (replacements ?? []).map(({ source, value, with: text }) => [source, value, text]),
    [cellEdits?.sha256, (cellEdits?.cells ?? []).map((each) => [each.source, each.byteOffset, each.with])],
  ]);
}
