/** The views of alert rules and charts; their code is loaded when the first of them is shown. */
export { default as AlertRuleFormView } from './monitoring/AlertRuleFormView.svelte';
export { default as AlertRulesView } from './monitoring/AlertRulesView.svelte';
export { default as AlertRuleView } from './monitoring/AlertRuleView.svelte';
export { default as ChartsView } from './monitoring/ChartsView.svelte';
export { default as ChartView } from './monitoring/ChartView.svelte';
