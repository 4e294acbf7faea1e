/** Changes the state of spans of a build, which are identified by position. */
import type { BuildEvent } from '../core/jobs/build-job.ts';
import type { StoredSpan } from '../db/build-store.ts';
import type { SpanState } from '../shared/dataset-model.ts';
import type { BuildLedger } from './build-ledger.ts';
import type { DatasetsDeps } from './types.ts';

/** The spans at these positions that are in one of these states. */
export function spansIn(
  store: Pick<DatasetsDeps, 'store'>['store'],
  { id }: BuildLedger,
  positions: readonly number[],
  states: readonly SpanState[],
): StoredSpan[] {
  return positions
    .map((position) => store.spans.at(id, position))
    .filter((span) => span !== null)
    .filter(({ state }) => states.includes(state));
}

export function moveEvents(spans: readonly StoredSpan[], to: SpanState): BuildEvent[] {
  const byState = Map.groupBy(spans, ({ state }) => state);
  return [...byState].map(([from, { length }]) => ({ type: 'move', from, to, count: length }));
}

/** Moves the spans; those in other states stay unchanged. */
export function moveSpans(
  { store }: Pick<DatasetsDeps, 'store'>,
  ledger: BuildLedger,
  positions: readonly number[],
  { sources, to }: { sources: readonly SpanState[]; to: SpanState },
  patch: Parameters<BuildLedger['apply']>[1] = {},
): void {
  const spans = spansIn(store, ledger, positions, sources);
  ledger.apply(moveEvents(spans, to), patch, () => {
    for (const { position, message } of spans) {
      store.spans.change(ledger.id, position, { state: to, batch: null, message });
    }
  });
}
