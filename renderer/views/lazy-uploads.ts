/** The views of uploads; their code is loaded when the first of them is shown. */
export { default as DeleteEventsView } from './uploads/DeleteEventsView.svelte';
export { default as UploadsView } from './uploads/UploadsView.svelte';
export { default as UploadView } from './uploads/UploadView.svelte';
