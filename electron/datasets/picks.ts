/** The basket: adds spans to a build and removes them, from rows of a stored list or by ids. */
import { unionOf } from '../core/spans/call-range.ts';
import type { NewSpan, StoredBuild, StoredSpan } from '../db/build-store.ts';
import type { SpanRef, TimeRange } from '../shared/dataset-model.ts';
import { AppError } from '../shared/errors.ts';
import type { ListQuery } from '../shared/model.ts';
import { spanSelection } from '../shared/pick-source.ts';
import type { BuildLedger } from './build-ledger.ts';
import { NEW_ASK } from './new-build.ts';
import type { PickAct } from './pick-steps.ts';
import type { PickedSpan } from './picked-span.ts';
import type { DatasetsDeps } from './types.ts';

type SpanRecord = Record<string, unknown>;
export interface PickResult {
  added: number;
  /** Number of spans that were already in the basket. */
  known: readonly StoredSpan[];
}

/** Adds spans that are not in the basket yet, in one commit, as part of `act`. `changes` are stored with them. */
export function addSpans(
  { store }: Pick<DatasetsDeps, 'store'>,
  ledger: BuildLedger,
  spans: readonly PickedSpan[],
  range: TimeRange | null,
  act: PickAct,
  changes: (result: PickResult) => Partial<StoredBuild> = () => ({}),
): PickResult {
  const { stored: build } = ledger;
  const unique = [...new Map(spans.map((span) => [`${span.trace_id} ${span.span_id}`, span])).values()];
  const found = store.spans.find(ledger.id, unique);
  const fresh = unique.filter((_, index) => found[index] === null);
  const target = build.target?.kind === 'existing' && build.skipsAdded ? build.target.datasetId : null;
  const held = target === null ? [] : store.spans.areAdded(target, fresh);
  const rows = fresh.map(
    ({ expected: _, ...span }, index): NewSpan => ({
      ...span,
      state: held[index] === true ? 'added' : 'unsent',
    }),
  );
  const heldCount = held.filter((isHeld) => isHeld).length;
  const result = { added: rows.length, known: found.filter((span) => span !== null) };
  const asks = rows.some(({ isOfFile }) => isOfFile === true) && build.ask?.phase !== 'off';
  const changed = {
    ...(asks ? { ask: { ...(build.ask ?? NEW_ASK), phase: 'due' as const } } : {}),
    ...changes(result),
  };
  if (rows.length === 0 && Object.keys(changed).length === 0) return result;
  ledger.apply(
    [
      { type: 'picked', as: 'added', count: heldCount },
      { type: 'picked', as: 'unsent', count: rows.length - heldCount },
    ],
    {
      ...rangeOf(build, rows, range),
      nextPosition: build.nextPosition + rows.length,
      ...changed,
    },
    () => {
      if (rows.length === 0) return;
      store.spans.add(ledger.id, build.nextPosition, rows);
      for (const [index, { expected }] of fresh.entries())
        if (expected !== undefined) store.spans.edit(ledger.id, build.nextPosition + index, expected);
      act.grow(
        ledger,
        rows.map((_, index) => build.nextPosition + index),
      );
    },
  );
  return result;
}

function rangeOf(
  build: StoredBuild,
  rows: readonly NewSpan[],
  range: TimeRange | null,
): Partial<StoredBuild> {
  const starts = rows.map(({ startMs }) => startMs).filter((ms) => ms !== null);
  const first = starts.reduce(
    (least, ms) => Math.min(least, ms),
    build.firstStartMs ?? Number.POSITIVE_INFINITY,
  );
  const last = starts.reduce((most, ms) => Math.max(most, ms), build.lastStartMs ?? Number.NEGATIVE_INFINITY);
  const picked = range === null ? build.pickedRange : unionWith(build.pickedRange, range);
  return {
    firstStartMs: Number.isFinite(first) ? first : null,
    lastStartMs: Number.isFinite(last) ? last : null,
    pickedRange: picked,
  };
}

function unionWith(one: TimeRange | null, other: TimeRange): TimeRange {
  return one === null ? other : unionOf(one, other);
}

/** The time range in which a list of spans was queried. Throws INVALID_ARGUMENT for another kind of list. */
export function rangeOfQuery(query: ListQuery, applicationId: string): TimeRange {
  const parsed = spanSelection.safeParse(query.body);
  if (query.operation !== 'spans.query' || !parsed.success) {
    throw new AppError('INVALID_ARGUMENT', 'Expected a list of spans (spans.query) to select from.');
  }
  if (parsed.data.application_id !== applicationId) {
    throw new AppError(
      'INVALID_ARGUMENT',
      'These spans belong to another application than the build. One dataset is built from the spans of one application.',
    );
  }
  return { startTime: parsed.data.start_time, endTime: parsed.data.end_time };
}

const WINDOW_ROWS = 200;

/** Reads the picked rows. A span that is no longer at its position is missing in the result. */
export async function readPicked(
  { readRows }: Pick<DatasetsDeps, 'readRows'>,
  query: ListQuery,
  spans: readonly (SpanRef & { position: number })[],
): Promise<{ records: SpanRecord[]; missing: SpanRef[] }> {
  const wanted = spans.toSorted((a, b) => a.position - b.position);
  const byPosition = new Map<number, SpanRecord>();
  for (let index = 0; index < wanted.length; ) {
    const first = wanted[index]?.position ?? 0;
    let last = first;
    while (index < wanted.length && (wanted[index]?.position ?? 0) < first + WINDOW_ROWS) {
      last = wanted[index]?.position ?? last;
      index += 1;
    }
    const { rows } = await readRows(query, first, last - first + 1);
    for (const { position, record } of rows) byPosition.set(position, record);
  }
  const records: SpanRecord[] = [];
  const missing: SpanRef[] = [];
  for (const { position, trace_id, span_id } of spans) {
    const record = byPosition.get(position);
    if (record?.['trace_id'] === trace_id && record['span_id'] === span_id) records.push(record);
    else missing.push({ trace_id, span_id });
  }
  return { records, missing };
}
