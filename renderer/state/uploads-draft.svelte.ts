/** An upload in preparation: a file, its format, its target and its check. It exists until the file is sent. */
import { planColumns } from '../../electron/shared/column-plan.ts';
import type { Dialect } from '../../electron/shared/dialect.ts';
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import { shownName } from '../../electron/shared/plan-bounds.ts';
import type { Preset } from '../../electron/shared/preset-contract.ts';
import { NOTE_COLUMNS, readModelFacts } from '../../electron/shared/upload-columns.ts';
import type {
  CellEdit,
  CellEdits,
  ColumnPlan,
  ConstantColumn,
  FilePreview,
  OfferedFile,
  Repair,
  Replacement,
  UploadJob,
  UploadPlan,
} from '../../electron/shared/upload-model.ts';
import {
  type ColumnEdit,
  type PreparedUpload,
  UPLOAD_STEPS,
  type UploadChoices,
  type UploadStep,
} from '../../electron/shared/upload-preparation.ts';
import {
  dialectOfPreset,
  isSameLayout,
  presetOf,
  type UploadPreset,
  withStoredWrapper,
} from '../../electron/shared/upload-preset.ts';
import { client } from '../lib/client.ts';
import {
  type RepairChoice,
  type ReplacementChoice,
  withCellEdit,
  withRepairs,
  withReplacements,
} from '../lib/repair-edits.ts';
import { planProblems } from '../lib/upload-problems.ts';
import { clock } from './clock.svelte.ts';
import { jobs } from './jobs.svelte.ts';
import { LatestRequest } from './newest.ts';
import { StartChoice } from './start-choice.svelte.ts';
import { UploadCheck } from './upload-check.svelte.ts';
import { LibraryRecord, LibraryRows } from './uploads-library.svelte.ts';
import { WholeFileChoices } from './whole-files.svelte.ts';
import { WholeProfile } from './whole-profile.svelte.ts';

/** Steps for a file that is sent unchanged, which has no columns to map and no rows to check. */
const WHOLE_STEPS: readonly UploadStep[] = ['file', 'send'];

/** Maximum size of a batch. A larger one is split even if `batchRows` allows it. */
const MAX_BATCH_BYTES = 8_000_000;

/** A file up to this size is checked automatically as soon as its columns are mapped, and after each change. */
const CHECKED_AT_ONCE_BYTES = 20_000_000;

/** Default number of rows per request. */
export const FIRST_BATCH_ROWS = 1_000;

export interface DraftStart {
  connectionId: string;
  batchRows: number;
}

/** All value edits by the user, as an undo step restores them. */
export type DraftEdits = Pick<
  UploadDraft,
  'repairs' | 'replacements' | 'cellEdits' | 'edits' | 'takesNewKeys'
>;

export class UploadDraft {
  readonly draftId: string;
  readonly connectionId: string;
  file: OfferedFile = $state.raw({ fileId: '', name: '', sizeBytes: 0, packed: null, error: null });
  /** How the file changed while the draft was not loaded; null if the draft was not restored. */
  readonly cameBack: (Pick<PreparedUpload, 'changedFrom' | 'changedAtMs'> & { lacksChoices: boolean }) | null;
  step = $state<UploadStep>('file');
  /** `rows`: row by row with receipts. `whole`: the file unchanged. */
  sendAs = $state<'rows' | 'whole'>('rows');
  publishes = $state(true);
  readonly steps = $derived(this.sendAs === 'whole' ? WHOLE_STEPS : UPLOAD_STEPS);
  readonly asWhole = new WholeFileChoices(this);

  preview = $state.raw<FilePreview | null>(null);
  isReading = $state(false);
  readError = $state.raw<AppError | null>(null);
  override = $state.raw<Partial<Dialect>>({});

  model = $state.raw<{ id: string; name: string } | null>(null);
  modelRecord = $state.raw<LibraryRecord | null>(null);
  environments = $state.raw<LibraryRows | null>(null);
  envType = $state('PRODUCTION');
  envName = $state('');
  mode = $state<UploadPlan['mode']>('publish');
  batchRows = $state(1_000);
  onBadRow = $state<UploadPlan['onBadRow']>('stop');
  edits = $state.raw<Readonly<Record<string, ColumnEdit>>>({});

  /** Fields that have the same value in every row. */
  constants = $state.raw<ConstantColumn[]>([]);
  /** Repairs of values that do not fit. */
  repairs = $state.raw<Repair[]>([]);
  /** Replaced values, and edited cells. Cell edits apply only to the content of the file in which they were made. */
  replacements = $state.raw<readonly Replacement[]>([]);
  cellEdits = $state.raw<CellEdits | null>(null);
  /** Whether to send keys of JSON rows that the first rows lack, if the model has a column for them. */
  takesNewKeys = $state(false);
  /** Number of cell edits lost because the content of the file changed. */
  lostEdits = $state(0);

  /** Whether the choices were taken from the last file with the same columns. */
  isRecalled = $state(false);
  /** Whether the model was chosen automatically, because no other one fits the columns of the file as well. */
  isProposed = $state(false);
  /** Whether the user started to choose a model. */
  isModelSought = $state(false);
  /** Whether the options for sending are expanded in the form. */
  showsOptions = $state(false);
  /** Position among the files in preparation; null while they are in order of arrival. */
  place = $state.raw<number | null>(null);
  /** Name of the applied saved mapping. */
  preset = $state<string | null>(null);

  readonly check = new UploadCheck(this);
  /** Whether the file is checked automatically. A large file is checked only on request. */
  readonly checksItself = $derived(this.file.sizeBytes <= CHECKED_AT_ONCE_BYTES);
  /** The part of the mapping that the user chose to see; null if none was chosen yet. */
  part = $state<'columns' | 'rows' | null>(null);
  /** Profiles of the columns over all rows, once the check has read them. */
  readonly whole = new WholeProfile();
  readonly start = new StartChoice();
  isSending = $state(false);
  sendError = $state.raw<AppError | null>(null);
  /** Whether sending was rejected because the same content was sent after the check. */
  wasSentMeanwhile = $state(false);

  /** All choices of the user in the form that is stored. */
  readonly choices: UploadChoices = $derived({
    step: this.step,
    dialect: this.override,
    model: this.model,
    envType: this.envType,
    envName: this.envName,
    mode: this.mode,
    ...(this.sendAs === 'whole' ? { sendAs: this.sendAs, publishes: this.publishes } : {}),
    batchRows: Number.isFinite(this.batchRows) ? this.batchRows : null,
    onBadRow: this.onBadRow,
    edits: this.edits,
    constants: this.constants,
    repairs: this.repairs,
    ...(this.replacements.length > 0 ? { replacements: [...this.replacements] } : {}),
    ...(this.cellEdits === null ? {} : { cellEdits: this.cellEdits }),
    ...(this.takesNewKeys ? { takesNewKeys: true } : {}),
    isRecalled: this.isRecalled,
    ...(this.place === null ? {} : { place: this.place }),
    preset: this.preset,
    startsAt: this.start.when === 'later' ? this.start.text : null,
    dryRunId: this.check.run?.dryRunId ?? null,
  });
  /** Columns that the file no longer has, although a field or type is assigned to them. */
  readonly lostColumns: string[] = $derived.by(() => {
    // If the draft was not restored, missing columns of a saved mapping are reported with its other differences.
    if (this.preview === null || this.cameBack === null || this.preset !== null) return [];
    const names = new Set(this.preview.columns.map(({ name }) => name));
    return Object.keys(this.edits).filter((name) => !names.has(name));
  });
  readonly facts = $derived(readModelFacts(this.modelRecord?.record ?? null));
  readonly schema = $derived(this.facts?.columns.map(({ name, type }) => ({ name, data_type: type })) ?? []);
  readonly columns: ColumnPlan[] = $derived.by(() => {
    const proposed = planColumns(this.preview?.columns ?? [], this.schema);
    return proposed.map((column) => {
      const isNote = NOTE_COLUMNS.includes(column.source);
      const edit = this.edits[column.source];
      const target = isNote ? null : column.target;
      return {
        ...column,
        target: edit?.target === undefined ? target : edit.target,
        type: edit?.type ?? column.type,
        ...(edit?.reading === undefined ? {} : { reading: edit.reading }),
      };
    });
  });
  readonly plan: UploadPlan | null = $derived.by(() => {
    if (this.preview === null || this.model === null) return null;
    const envName = this.envName.trim();
    return {
      fileId: this.file.fileId,
      dialect: this.preview.dialect,
      ...(Object.keys(this.override).length === 0 ? {} : { setDialect: this.override }),
      columns: this.columns,
      ...(this.constants.length > 0 ? { constants: this.constants } : {}),
      ...(this.repairs.length > 0 ? { repairs: this.repairs } : {}),
      ...(this.replacements.length > 0 ? { replacements: [...this.replacements] } : {}),
      ...(this.cellEdits === null ? {} : { cellEdits: this.cellEdits }),
      ...(this.takesNewKeys ? { takesNewKeys: true } : {}),
      ...(this.preset === null ? {} : { preset: this.preset }),
      modelId: this.model.id,
      modelName: shownName(this.model.name),
      envType: this.envType.trim(),
      envName: envName === '' ? null : envName,
      mode: this.mode,
      batchRows: this.batchRows,
      maxBatchBytes: MAX_BATCH_BYTES,
      onBadRow: this.onBadRow,
    };
  });
  /** The settings to save for files with these columns; null while the plan is incomplete. */
  readonly asPreset: UploadPreset | null = $derived(
    this.plan === null || this.preview === null || !Number.isFinite(this.batchRows)
      ? null
      : presetOf(this.plan, this.preview, this.override),
  );
  readonly problems: string[] = $derived.by(() => planProblems(this));
  readonly #reading = new LatestRequest();
  #hasRecalled = false;

  constructor(file: OfferedFile, start: DraftStart, before: PreparedUpload | null = null) {
    this.file = file;
    this.draftId = before?.preparationId ?? crypto.randomUUID();
    this.connectionId = start.connectionId;
    this.batchRows = start.batchRows;
    this.cameBack = before && {
      changedFrom: before.changedFrom,
      changedAtMs: before.changedAtMs,
      lacksChoices: before.choices === null,
    };
    if (before !== null) this.#restore(before);
  }

  #restore({ choices, check, changedFrom }: PreparedUpload): void {
    if (choices === null) return;
    this.step = choices.step;
    this.override = withStoredWrapper(choices.dialect, Object.keys(choices.edits));
    if (choices.model !== null) this.chooseModel(choices.model);
    this.envType = choices.envType;
    this.envName = choices.envName;
    this.mode = choices.mode;
    this.sendAs = choices.sendAs ?? 'rows';
    this.publishes = choices.publishes ?? true;
    this.batchRows = choices.batchRows ?? Number.NaN;
    this.onBadRow = choices.onBadRow;
    this.edits = choices.edits;
    this.constants = choices.constants ?? [];
    this.repairs = choices.repairs ?? [];
    this.replacements = choices.replacements ?? [];
    this.cellEdits = choices.cellEdits ?? null;
    this.takesNewKeys = choices.takesNewKeys ?? false;
    if (changedFrom !== null) this.#loseEdits();
    this.isRecalled = choices.isRecalled;
    this.place = choices.place ?? null;
    this.preset = choices.preset ?? null;
    this.#hasRecalled = choices.model !== null;
    if (choices.startsAt !== null) {
      this.start.when = 'later';
      this.start.text = choices.startsAt;
    }
    if (check !== null) this.check.restore(check);
  }

  /** Continues with a file at another path, with the same choices. */
  async replaceFile(file: OfferedFile): Promise<void> {
    this.file = file;
    this.preview = null;
    this.#loseEdits();
    this.check.forgetOutcome();
    await this.inspect();
  }

  /** Discards cell edits: they refer to positions, which have other cells in another content. */
  #loseEdits(): void {
    this.lostEdits = this.cellEdits?.cells.length ?? 0;
    this.cellEdits = null;
  }

  /** Reads the start of the file, in the detected format with the user's changes. */
  async inspect(change: Partial<Dialect> = {}): Promise<void> {
    this.override = { ...this.override, ...change };
    const isLast = this.#reading.ask();
    this.isReading = true;
    this.readError = null;
    try {
      const dialect = Object.keys(this.override).length === 0 ? null : this.override;
      const preview = await client.invoke('uploads:inspect', {
        connectionId: this.connectionId,
        fileId: this.file.fileId,
        dialect,
      });
      if (isLast()) this.preview = preview;
    } catch (thrown) {
      if (isLast()) this.readError = toAppError(thrown);
    } finally {
      if (isLast()) this.isReading = false;
    }
  }

  /** Lists of events usually go to production, whole files elsewhere, so a default environment is switched. */
  chooseSendAs(sendAs: 'rows' | 'whole'): void {
    if (sendAs === this.sendAs) return;
    const usual = { rows: 'PRODUCTION', whole: 'PRE_PRODUCTION' } as const;
    if (this.envType === usual[this.sendAs]) this.envType = usual[sendAs];
    this.sendAs = sendAs;
  }

  /** Discards the user's changes to the detected format. */
  async guessAgain(): Promise<void> {
    this.override = {};
    await this.inspect();
  }

  chooseModel(model: { id: string; name: string } | null): void {
    if (model?.id === this.model?.id) return;
    this.isProposed = false;
    this.modelRecord?.dispose();
    this.environments?.dispose();
    // Only the needed fields are copied: a record with others would be stored with them and then rejected.
    this.model = model === null ? null : { id: model.id, name: model.name };
    // Assignments to the columns of one model do not apply to another.
    this.edits = Object.fromEntries(
      Object.entries(this.edits).flatMap(([source, { type }]) =>
        type === undefined ? [] : [[source, { type }]],
      ),
    );
    this.modelRecord = null;
    this.environments = null;
    if (model === null) return;
    const path = { model_id: model.id };
    this.modelRecord = new LibraryRecord(this.connectionId, 'models.get', path);
    this.environments = new LibraryRows(this.connectionId, 'models.environments', path);
    void this.modelRecord.open();
    void this.environments.open();
  }

  /**
   * Applies the settings that were used last for a file with these columns. Happens once, before the user chooses
   * anything.
   */
  recall(known: readonly Preset<UploadPreset>[]): void {
    const { preview } = this;
    if (preview === null || this.#hasRecalled) return;
    this.#hasRecalled = true;
    const fits = known.filter(({ content }) => isSameLayout(content, preview.columns));
    const [latest] = fits.toSorted((a, b) => b.savedAtMs - a.savedAtMs);
    if (this.model === null && latest !== undefined) this.apply(latest);
  }

  /**
   * Applies the parts of a saved mapping that concern columns of this file. If the mapping has another format, the file
   * is read again.
   */
  apply({ name, content }: Preset<UploadPreset>): void {
    this.chooseModel(content.model);
    this.envType = content.envType;
    this.envName = content.envName;
    this.mode = content.mode;
    this.batchRows = content.batchRows;
    this.onBadRow = content.onBadRow;
    this.constants = content.constants;
    this.repairs = content.repairs;
    this.replacements = content.replacements;
    this.edits = Object.fromEntries(
      content.columns.map(({ source, target, type, reading }) => [
        source,
        { target, type, ...(reading === undefined ? {} : { reading }) },
      ]),
    );
    this.isRecalled = content.isAutomatic;
    this.preset = name;
    this.#hasRecalled = true;
    const dialect = dialectOfPreset(content);
    if (Object.keys(dialect).length > 0) void this.inspect(dialect);
  }

  edit(source: string, change: ColumnEdit): void {
    this.edits = { ...this.edits, [source]: { ...this.edits[source], ...change } };
  }

  /** Sets the repair for values with a problem, or removes it. */
  setRepairs(chosen: readonly RepairChoice[]): void {
    const repairs = withRepairs(this.repairs, chosen);
    if (repairs.length === 0 && this.repairs.length === 0) return;
    this.repairs = repairs;
    this.#checkAgain();
  }

  /** Sets the replacement of a value in its whole column. */
  setReplacements(chosen: readonly ReplacementChoice[]): void {
    this.replacements = withReplacements(this.replacements, chosen);
    this.#checkAgain();
  }

  /**
   * Edits a cell in the content that was checked last; ignored if none was. Entering the original value removes the
   * edit.
   */
  editCell(edit: CellEdit): void {
    const sha256 = this.check.run?.sha256 ?? null;
    if (sha256 === null) return;
    this.cellEdits = withCellEdit(this.cellEdits, sha256, edit);
    this.lostEdits = 0;
    this.#checkAgain();
  }

  putEdits({ repairs, replacements, cellEdits, edits, takesNewKeys }: DraftEdits): void {
    this.takesNewKeys = takesNewKeys;
    this.edits = edits;
    this.repairs = repairs;
    this.replacements = replacements;
    this.cellEdits = cellEdits;
    this.#checkAgain();
  }

  /** From now on, keys that the first rows lack are sent too. */
  takeNewKeys(): void {
    this.takesNewKeys = true;
    this.#checkAgain();
  }

  /** Sets how the values of a column are read. The whole file is then checked again. */
  answerReading(source: string, reading: NonNullable<ColumnEdit['reading']>): void {
    this.edit(source, { reading: { ...this.edits[source]?.reading, ...reading } });
    this.#checkAgain();
  }

  /** The values that the model lists for the field that a column fills; empty if it lists none. */
  categoriesOf(source: string): string[] {
    const target = this.columns
      .find((column) => column.source === source)
      ?.target?.trim()
      .toLowerCase();
    const found = this.facts?.columns.find(({ name }) => name.toLowerCase() === target);
    return (found?.categories ?? []).map(String);
  }

  #checkAgain(): void {
    if (this.checksItself) this.check.again();
  }

  resetColumns(): void {
    this.edits = {};
    this.preset = null;
  }

  /**
   * Creates the job. It starts at the chosen time, otherwise after `graceMs`. Returns null if that failed; `sendError`
   * has the reason.
   */
  async send(graceMs: number): Promise<UploadJob | null> {
    const { plan } = this;
    if (plan === null || this.isSending) return null;
    this.isSending = true;
    this.sendError = null;
    this.wasSentMeanwhile = false;
    try {
      const told = (this.check.done?.sentBefore ?? []).map(({ jobId }) => jobId);
      const sent = { upload: plan, startsNow: true, preparationId: this.draftId, told };
      const soonMs = graceMs === 0 ? null : clock.nowMs + graceMs;
      return await jobs.create('upload', sent, this.start.atMs ?? soonMs, this.connectionId);
    } catch (thrown) {
      const error = toAppError(thrown);
      this.sendError = error;
      // Another tab or program sent the same content meanwhile. The user sees this before sending again.
      if (error.code === 'NEEDS_DECISION') await this.#recheck();
      return null;
    } finally {
      this.isSending = false;
    }
  }

  async #recheck(): Promise<void> {
    try {
      await this.check.recheck();
      // The step now shows this, and its button asks for confirmation, so no error is shown.
      this.sendError = null;
      this.wasSentMeanwhile = true;
    } catch (thrown) {
      this.sendError = toAppError(thrown);
    }
  }

  dispose(): void {
    this.check.dispose();
    this.modelRecord?.dispose();
    this.environments?.dispose();
  }
}
