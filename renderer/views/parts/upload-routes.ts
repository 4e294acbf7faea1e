/** Opens the upload views. A tab of kind `upload` shows a draft, and once that is sent its job. */
import { cutText } from '../../../electron/shared/cut-text.ts';
import { AppError } from '../../../electron/shared/errors.ts';
import type { UploadJob } from '../../../electron/shared/upload-model.ts';
import { dialectAgain, MAX_PRESET_COLUMNS, presetOf } from '../../../electron/shared/upload-preset.ts';
import type { ClosedTab } from '../../lib/tab-kinds.ts';
import { app } from '../../state/app.svelte.ts';
import { uploads } from '../../state/uploads.svelte.ts';
import { FIRST_BATCH_ROWS, type UploadDraft } from '../../state/uploads-draft.svelte.ts';
import { setParam } from './params.ts';

export function openUploads(): void {
  app.tabs.open('uploads', 'Uploads');
}

export function openDraft(draft: UploadDraft): void {
  app.tabs.open('upload', draft.file.name, { draft: draft.draftId });
}

export function openJob(jobId: string, fileName: string): void {
  app.tabs.open('upload', fileName, { job: jobId });
}

/** Opens the form for a deletion. */
export function openDeletionForm(): void {
  app.tabs.open('deletions', 'Deletions');
}

/** Opens the list of requested deletions, which is below the form. */
export function openDeletions(): void {
  setParam(app.tabs.open('deletions', 'Deletions'), 'at', 'list');
}

/** Discards a draft and closes its tab. */
export async function discardDraft(draft: UploadDraft): Promise<void> {
  const tab = app.tabs.list.find(({ params }) => params['draft'] === draft.draftId);
  const { choices, draftId } = draft;
  let closed: ClosedTab | null = null;
  const discard = async (own: UploadDraft) => {
    if (tab !== undefined) closed = app.tabs.close(tab.id);
    await uploads.discard(own);
  };
  await discard(draft);
  app.undoHistory.push(`Discarded “${draft.file.name}”`, {
    undo: async () => {
      const { activeId } = app.connections;
      await uploads.restore(draft, choices);
      if (closed !== null && app.connections.activeId === activeId) app.tabs.reopenClosed(closed);
    },
    // After an undo, the restored draft is a new one for the same file.
    redo: async () => {
      const back = uploads.drafts.find((each) => each.draftId === draftId);
      if (back !== undefined) await discard(back);
    },
  });
}

/**
 * Asks for files and opens the first usable one. Unusable files are reported above every view. Returns whether a file
 * could be opened.
 */
export async function chooseFiles(): Promise<boolean> {
  const start = draftStart();
  return start !== null && show(await uploads.choose(start));
}

/** Asks for files to send to this model. */
export async function chooseFilesFor(model: { id: string; name: string }): Promise<void> {
  const start = draftStart();
  if (start === null) return;
  const drafts = await uploads.choose(start);
  for (const draft of drafts) draft.chooseModel(model);
  show(drafts);
}

/**
 * Asks for files to send like an earlier upload: with the same mapping, model and options, which the user can change.
 * Throws AppError.
 */
export async function chooseFilesLike({ jobId, fileName, plan, createdAtMs }: UploadJob): Promise<void> {
  const start = draftStart();
  if (start === null) return;
  const layout = plan.columns.map(({ source, type }) => ({ name: source, type }));
  const content = presetOf(plan, { columns: layout }, dialectAgain(plan));
  if (content === null) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `Expected an upload of at most ${MAX_PRESET_COLUMNS} columns; this one has ${layout.length}. Choose a file in Uploads.`,
    );
  }
  const drafts = await uploads.choose(start);
  const preset = { presetId: jobId, name: cutText(fileName, 80), content, savedAtMs: createdAtMs };
  for (const draft of drafts) draft.apply(preset);
  show(drafts);
}

/**
 * Opens the sample workspace's file with problems, and checks it once its columns are mapped to the model. Without a
 * model, it waits until the user chooses one. Returns whether the file could be opened.
 */
export async function checkSampleFile(model: { id: string; name: string } | null): Promise<boolean> {
  const start = draftStart();
  if (start === null) return false;
  const drafts = await uploads.offerSample(start);
  for (const draft of drafts) {
    draft.chooseModel(model);
    draft.step = 'mapping';
  }
  return show(drafts);
}

/**
 * Opens dropped files. `model`: the model on whose home page they were dropped. Returns whether one could be opened.
 */
export async function dropFiles(
  files: File[],
  model: { id: string; name: string } | null = null,
): Promise<boolean> {
  const start = draftStart();
  if (start === null) return false;
  const drafts = await uploads.offer(files, start);
  for (const draft of drafts) draft.chooseModel(model);
  return show(drafts);
}

function draftStart() {
  const { activeId } = app.connections;
  if (activeId === null) return null;
  return { connectionId: activeId, batchRows: app.settings.value?.batchRows ?? FIRST_BATCH_ROWS };
}

/** If the connection was left meanwhile, its drafts are in the list of that connection. */
function show(drafts: UploadDraft[]): boolean {
  const [first] = drafts;
  if (first === undefined || first.connectionId !== app.connections.activeId) return false;
  if (drafts.length > 1) openUploads();
  openDraft(first);
  return true;
}
