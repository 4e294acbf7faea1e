/**
 * The views of spans, traces and datasets built from them; their code is loaded when the first of them is
 * shown.
 */

export { default as DatasetView } from './DatasetView.svelte';
export { default as ItemFileView } from './datasets/ItemFileView.svelte';
export { default as BuildsView } from './spans/BuildsView.svelte';
export { default as BuildView } from './spans/BuildView.svelte';
export { default as ScopeView } from './spans/ScopeView.svelte';
export { default as SpansView } from './spans/SpansView.svelte';
