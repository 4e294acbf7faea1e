/**
 * The check of a whole file before its upload. The main process reads the file and counts bad rows; nothing is sent.
 */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { DryRun, UploadPlan } from '../../electron/shared/upload-model.ts';
import type { PreparedUpload } from '../../electron/shared/upload-preparation.ts';
import { client } from '../lib/client.ts';
import { CheckedRows } from './checked-rows.svelte.ts';
import { Newest } from './newest.ts';

/** The part of the upload in preparation that a check needs. */
interface Prepared {
  readonly connectionId: string;
  /** Null while the plan is incomplete. */
  readonly plan: UploadPlan | null;
}

export class UploadCheck {
  /** The last check, whatever its outcome. */
  run = $state.raw<DryRun | null>(null);
  error = $state.raw<AppError | null>(null);
  /**
   * The last successful check. It is shown while the file is read again, and used to check single values against the
   * model.
   */
  lastDone = $state.raw<DryRun | null>(null);
  /** The plan of the last check, as text. */
  #plan = $state.raw<string | null>(null);
  readonly #draft: Prepared;
  /**
   * Whether the check was restored together with its file. Its plan then also includes how to read columns, as the file
   * decided it.
   */
  #isBack = $state(false);
  readonly #isOfPlan = $derived.by(() => this.#plan === readingOf(this.#draft.plan, this.#isBack));
  /** The finished check; null if it was made for another plan. */
  readonly done = $derived(this.run?.phase === 'done' && this.#isOfPlan ? this.run : null);
  readonly isOutdated = $derived(this.run !== null && this.#plan !== null && !this.#isOfPlan);
  readonly isRunning = $derived.by(() => this.#isStarting || this.run?.phase === 'running');
  /** Whether the current plan was never checked, not even unsuccessfully. */
  readonly isDue = $derived.by(() => this.#draft.plan !== null && !this.#isOfPlan);

  /** Single rows as the last check found them. */
  readonly rows = new CheckedRows((dryRunId, places) =>
    client.invoke('uploads:check-rows', { connectionId: this.#draft.connectionId, dryRunId, places }),
  );

  /** The newest state of each check, by its id. */
  readonly #newest = new Newest();
  /** The newest event of each check, kept until the answer says which check was started here. */
  readonly #early = new Map<string, DryRun>();
  readonly #stopListening: () => void;
  #isStarting = $state(false);
  /** Whether the plan changed while the file was being read. */
  #isAskedAgain = false;

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
    if (run.phase === 'done') this.lastDone = run;
    if (run.phase !== 'running' && !this.#isStarting) this.#startIfAsked();
  }

  /** Starts the check that was requested while another one was being started. */
  #startIfAsked(): void {
    if (!this.#isAskedAgain) return;
    this.#isAskedAgain = false;
    if (!this.#isOfPlan) void this.start();
  }

  #isShown(dryRunId: string): boolean {
    return this.run?.dryRunId === dryRunId;
  }

  /** Restores the check of a file that was restored. */
  restore({ dryRun, plan }: NonNullable<PreparedUpload['check']>): void {
    this.#isBack = true;
    this.#plan = readingOf(plan, true);
    this.#take(dryRun);
  }

  /** Removes the last check, as it was made for another file. */
  forgetOutcome(): void {
    this.lastDone = null;
  }

  /** Reads the file again with the current plan, if it was read before. Waits until a running read has ended. */
  again(): void {
    if (this.#isStarting || this.run?.phase === 'running') this.#isAskedAgain = true;
    else if (this.run?.phase === 'done' || this.run?.phase === 'failed') void this.start();
  }

  /** Checks the current plan unless that was done already. A running check of an earlier plan is ended. */
  async follow(): Promise<void> {
    if (!this.isDue) return;
    if (this.#isStarting) {
      this.#isAskedAgain = true;
      return;
    }
    await this.cancel();
    await this.start();
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
    if (this.error !== null) this.#startIfAsked();
  }

  /** The reason why a text cannot replace a value of a column, as a sentence; null if it can. Throws AppError. */
  async problemOf(source: string, text: string | null): Promise<string | null> {
    const dryRunId = this.lastDone?.dryRunId;
    if (dryRunId === undefined) return null;
    const { connectionId } = this.#draft;
    return (await client.invoke('uploads:check-value', { connectionId, dryRunId, source, text })).problem;
  }

  /** Reads the result of the check again, which then considers uploads sent since it ended. */
  async recheck(): Promise<void> {
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
      // Another check may have been started meanwhile.
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
 * The parts of a plan that a check depends on. The handling of bad rows is not one of them, as it is decided
 * afterwards. `isBack`: leaves out how columns are read, because a stored plan does not distinguish between choices of
 * the user and of the file.
 */
function readingOf(plan: UploadPlan | null, isBack = false): string | null {
  if (plan === null) return null;
  const { fileId, dialect, columns, constants, repairs, replacements, cellEdits } = plan;
  const { modelId, modelName, envType, envName } = plan;
  const { mode, batchRows, maxBatchBytes, takesNewKeys = false } = plan;
  const { format, encoding, delimiter, quote, hasHeader, nullWords } = dialect;
  const {
    escape: escaping = null,
    headerLine = null,
    hasIndex = null,
    trailing = null,
    wrapper = null,
  } = dialect;
  // Listed field by field, because the fields of a stored plan can be in another order.
  return JSON.stringify([
    [fileId, modelId, modelName, envType, envName, mode, batchRows, maxBatchBytes, takesNewKeys],
    [
      format,
      encoding,
      delimiter,
      quote,
      hasHeader,
      nullWords,
      escaping,
      headerLine,
      hasIndex,
      trailing,
      wrapper,
    ],
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
