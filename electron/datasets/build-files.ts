/** Writes files from a build: receipts, spans that were not found, the items of the preview, all spans. */
import { TimeSlicer } from '../core/time-slicer.ts';
import type { SpanFilter, StoredSpan } from '../db/build-store.ts';
import { delimitedLine } from '../shared/delimited.ts';
import type { BuildLedger } from './build-ledger.ts';
import { readItem } from './span-item.ts';
import type { BuildFile, DatasetsDeps } from './types.ts';

export type BuildFileDeps = Pick<DatasetsDeps, 'store' | 'clock' | 'writeFile'>;

const SLICE = 200;

/** Reviews and verdicts are written elsewhere. */
type SpanFileKind = Exclude<BuildFile, 'review' | 'verdicts'>;

const FILTERS: Record<SpanFileKind, SpanFilter> = {
  receipts: { states: ['acknowledged'], shapeIds: null },
  unresolved: { states: ['unresolved', 'excluded'], shapeIds: null, hasMessage: true },
  /** All spans, without decisions, so that another person can review them. */
  spans: { states: null, shapeIds: null },
  items: {
    states: ['unsent', 'unresolved', 'sending', 'unknown', 'acknowledged', 'given-up'],
    shapeIds: null,
  },
};

/** Calls are numbered from 1, as in the views. */
const HEADS: Record<SpanFileKind, string> = {
  receipts: delimitedLine(['trace_id', 'span_id', 'item_id', 'call', 'dataset_id']),
  unresolved: delimitedLine(['trace_id', 'span_id', 'start_time', 'message']),
  items: '',
  spans: '',
};

/**
 * Writes the file and returns its number of rows. An unknown item id is written as an empty text. `items` and `spans`
 * are JSON Lines.
 */
export async function writeBuildFile(
  deps: BuildFileDeps,
  ledger: BuildLedger,
  what: SpanFileKind,
  path: string,
): Promise<{ rows: number }> {
  const count = { rows: 0 };
  async function* lines(): AsyncGenerator<string> {
    yield HEADS[what];
    for await (const span of eachSpan(deps, ledger.id, FILTERS[what])) {
      const line = lineOf(deps, ledger, what, span);
      if (line === null) continue;
      count.rows += 1;
      yield line;
    }
  }
  await deps.writeFile(path, lines());
  return count;
}

/** Matching spans of a build, read in batches. */
export async function* eachSpan(
  { store, clock }: BuildFileDeps,
  buildId: string,
  filter: SpanFilter,
): AsyncGenerator<StoredSpan> {
  const slicer = new TimeSlicer(clock);
  for (let from = 0; ; ) {
    const spans = store.spans.after(buildId, filter, from, SLICE);
    yield* spans;
    const last = spans.at(-1);
    if (last === undefined || spans.length < SLICE) return;
    from = last.position + 1;
    await slicer.pause();
  }
}

function lineOf(
  { store }: BuildFileDeps,
  ledger: BuildLedger,
  what: SpanFileKind,
  span: StoredSpan,
): string | null {
  const { traceId, spanId, itemId, batch, startTime, message, position } = span;
  switch (what) {
    case 'receipts': {
      const call = batch === null ? '' : String(batch + 1);
      return delimitedLine([traceId, spanId, itemId ?? '', call, ledger.stored.datasetId ?? '']);
    }
    case 'unresolved':
      return delimitedLine([traceId, spanId, startTime ?? '', message ?? '']);
    case 'spans': {
      const record = store.spans.records(ledger.id, [position]).get(position);
      const bare = { trace_id: traceId, span_id: spanId, start_time: startTime };
      return `${record ?? JSON.stringify(bare)}\n`;
    }
    case 'items': {
      const item = readItem({ store }, ledger, position);
      return item === null
        ? null
        : `${JSON.stringify({ ...item, source_name: 'span', source_id: spanId })}\n`;
    }
  }
}
