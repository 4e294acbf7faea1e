/** Reads the current versions of picked spans from the service, by their ids. */
import { callRange } from '../core/spans/call-range.ts';
import { widened } from '../core/spans/wider-search.ts';
import type { StoredSpan } from '../db/build-store.ts';
import { SPANS_A_REQUEST } from '../shared/dataset-model.ts';
import { AppError } from '../shared/errors.ts';
import type { BuildLedger } from './build-ledger.ts';
import { callOptions } from './target-dataset.ts';
import type { DatasetsDeps } from './types.ts';

type SpanRecord = Record<string, unknown>;

/** Number of consecutive pages without a new span after which the service's paging is no longer trusted. */
const MAX_IDLE_PAGES = 3;
/** Statuses with which a service rejects queries by id that it does not support. */
const REFUSALS = [400, 404, 405, 422];

export const isRejection = ({ details }: AppError): boolean => REFUSALS.includes(details.status ?? 0);

/** Number of requests needed for this many spans. */
export const requestsFor = (spans: number): number => Math.ceil(spans / SPANS_A_REQUEST);

/**
 * The records found, by trace and span. Null if no time is known for the spans. `marginMs`: widens the range on both
 * sides.
 */
export async function readNow(
  { client }: Pick<DatasetsDeps, 'client'>,
  ledger: BuildLedger,
  spans: readonly StoredSpan[],
  signal: AbortSignal,
  marginMs = 0,
): Promise<Map<string, SpanRecord> | null> {
  const usual = callRange(
    spans.map(({ startMs }) => startMs),
    ledger.stored,
  );
  if (usual === null) return null;
  const range = widened(usual, marginMs);
  const rules = spans.map(({ spanId }) => ({ field: 'Span::span_id', operator: 'eq', value: spanId }));
  const body = {
    application_id: ledger.stored.applicationId,
    start_time: range.startTime,
    end_time: range.endTime,
    filter: { condition: 'OR', rules },
  };
  const found = new Map<string, SpanRecord>();
  for (let offset = 0, idlePages = 0; idlePages < MAX_IDLE_PAGES; ) {
    const request = { body, paging: { limit: SPANS_A_REQUEST, offset } };
    const { value } = await client.list('spans.query', request, callOptions(ledger, signal));
    const { size } = found;
    for (const record of value.items) found.set(`${record['trace_id']} ${record['span_id']}`, record);
    offset += value.items.length;
    if (value.items.length === 0 || (value.total !== null && offset >= value.total)) return found;
    idlePages = found.size === size ? idlePages + 1 : 0;
  }
  throw new AppError(
    'ANSWER_INVALID',
    `Expected further spans, got those of earlier pages ${MAX_IDLE_PAGES} times. Try again later.`,
  );
}
