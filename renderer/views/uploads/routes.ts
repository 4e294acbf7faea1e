/** Ways into the upload views. A tab of kind `upload` shows a draft, and its job once it is sent. */
import { app } from '../../state/app.svelte.ts';
import { uploads } from '../../state/uploads.svelte.ts';
import { FIRST_BATCH_ROWS, type UploadDraft } from '../../state/uploads-draft.svelte.ts';

export function openUploads(): void {
  app.tabs.open('uploads', 'Uploads');
}

export function openDraft(draft: UploadDraft): void {
  app.tabs.open('upload', draft.file.name, { draft: draft.draftId });
}

export function openJob(jobId: string, fileName: string): void {
  app.tabs.open('upload', fileName, { job: jobId });
}

export function openDeletions(): void {
  app.tabs.open('deletions', 'Delete events');
}

export function openFiles(): void {
  app.tabs.open('files', 'Send a file as is');
}

/** Takes it off the list, and its tab with it. */
export async function discardDraft(draft: UploadDraft): Promise<void> {
  const tab = app.tabs.list.find(({ params }) => params['draft'] === draft.draftId);
  if (tab !== undefined) app.tabs.close(tab.id);
  await uploads.discard(draft);
}

/** Asks which files; opens the first one that can be used. Those that cannot are said above any view. */
export async function chooseFiles(): Promise<void> {
  const start = draftStart();
  if (start !== null) show(await uploads.choose(start));
}

export async function dropFiles(files: File[]): Promise<void> {
  const start = draftStart();
  if (start !== null) show(await uploads.offer(files, start));
}

function draftStart() {
  const { activeId } = app.connections;
  if (activeId === null) return null;
  return { connectionId: activeId, batchRows: app.settings.value?.batchRows ?? FIRST_BATCH_ROWS };
}

/** What was made for a connection that was left meanwhile waits there, in its list. */
function show(drafts: UploadDraft[]): void {
  const [first] = drafts;
  if (first !== undefined && first.connectionId !== app.connections.activeId) return;
  if (drafts.length > 1) openUploads();
  if (first !== undefined) openDraft(first);
}
