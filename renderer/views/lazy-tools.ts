/** Views of Spandeck's own tools and storage; their code is loaded when the first of them is shown. */
export { default as ChangesView } from './ChangesView.svelte';
export { default as HealthView } from './health/HealthView.svelte';
export { default as JobsView } from './jobs/JobsView.svelte';
export { default as OfflineView } from './offline/OfflineView.svelte';
export { default as OutboxView } from './outbox/OutboxView.svelte';
export { default as SearchView } from './search/SearchView.svelte';
export { default as SqlView } from './sql/SqlView.svelte';
export { default as TrafficView } from './TrafficView.svelte';
