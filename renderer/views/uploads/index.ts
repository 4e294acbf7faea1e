/** The upload views by tab kind, and what the workbench mounts once beside them. */
import type { Component } from 'svelte';
import type { Tab, TabKind } from '../../state/tabs.svelte.ts';
import DeleteEventsView from './DeleteEventsView.svelte';
import UploadsView from './UploadsView.svelte';
import UploadView from './UploadView.svelte';

export { default as RefusedFiles } from './RefusedFiles.svelte';
export { default as UploadDrop } from './UploadDrop.svelte';

export const UPLOAD_VIEWS = {
  uploads: { title: 'Uploads', view: UploadsView },
  upload: { title: 'Upload', view: UploadView },
  deletions: { title: 'Delete events', view: DeleteEventsView },
} as const satisfies Partial<Record<TabKind, { title: string; view: Component<{ tab: Tab }> }>>;
