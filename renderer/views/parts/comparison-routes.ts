/** Opens the comparison of runs. */
import { MAX_COMPARED_RUNS, type RunRef } from '../../../electron/shared/run-comparison.ts';
import { runsParam } from '../../lib/comparison-params.ts';
import { type JsonObject, recordTitle, textField } from '../../lib/records.ts';
import { app } from '../../state/app.svelte.ts';

/**
 * Opens the comparison of these runs, the first of which is the baseline. `names`: names of the runs, for the title of
 * the tab.
 */
export function openComparison(runs: readonly RunRef[], names: readonly string[]): void {
  const chosen = runsParam(runs.slice(0, MAX_COMPARED_RUNS));
  app.tabs.open('comparison', names.join(' · '), { subject: chosen, runs: chosen });
}

export function openExperiments(rows: readonly Readonly<JsonObject>[]): void {
  openComparison(
    rows.map((row) => ({ kind: 'experiment', id: textField(row, 'id') })),
    rows.map((record) => recordTitle(record)),
  );
}
