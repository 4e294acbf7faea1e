/**
 * Asks the service which spans of files it has. A span that the service has with all values of the file is taken from
 * the service and added to the dataset as a span. Other spans are added as items with the file's values.
 */

import { attributesOf, canonicalJson } from '../core/spans/span-mapping.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import type { StoredSpan } from '../db/build-store.ts';
import { type BuildAsk, SPANS_A_REQUEST } from '../shared/dataset-model.ts';
import { toAppError } from '../shared/errors.ts';
import type { BuildLedger } from './build-ledger.ts';
import { NEW_ASK } from './new-build.ts';
import { fromRecord } from './picked-span.ts';
import { isRejection, readNow } from './read-now.ts';
import { parseRecord } from './span-item.ts';
import type { DatasetsDeps } from './types.ts';

type Deps = Pick<DatasetsDeps, 'store' | 'client' | 'clock' | 'logger'>;
type SpanRecord = Record<string, unknown>;

/**
 * Asks about all spans that were not asked about yet. Rejects with the error that prevents asking; answers received
 * before are kept.
 */
export async function askService(
  { store, client, clock, logger }: Deps,
  ledger: BuildLedger,
  signal: AbortSignal,
): Promise<void> {
  const slicer = new TimeSlicer(clock);
  const { timeRange, pickedRange } = ledger.stored;
  const isTimed = ({ startMs }: StoredSpan) => startMs !== null || (timeRange ?? pickedRange) !== null;
  const next = (from: number) => store.spanFiles.unasked(ledger.id, from, SPANS_A_REQUEST);
  try {
    for (let from = 0, spans = next(from); spans.length > 0 && !signal.aborted; spans = next(from)) {
      const timed = spans.filter(isTimed);
      const found = timed.length === 0 ? null : await readNow({ client }, ledger, timed, signal);
      take(store, ledger, spans, found ?? new Map(), isTimed);
      from = (spans.at(-1)?.position ?? from) + 1;
      await slicer.pause();
    }
  } catch (thrown) {
    const error = toAppError(thrown);
    if (!isRejection(error)) throw error;
    logger.warn('spans of a file not asked for', { build: ledger.id, reason: error.message });
    ledger.apply([], { ask: { ...askOf(ledger), phase: 'refused' } });
    return;
  }
  if (!signal.aborted) ledger.apply([], { ask: { ...askOf(ledger), phase: 'done' } });
}

/** Like `askService`, for spans of which only the ids are stored. Spans that the service has are stored completely. */
export async function fetchBare(
  { store, client, clock }: Deps,
  ledger: BuildLedger,
  signal: AbortSignal,
): Promise<void> {
  const slicer = new TimeSlicer(clock);
  const next = (from: number) => store.spanFiles.bare(ledger.id, from, SPANS_A_REQUEST);
  for (let from = 0, spans = next(from); spans.length > 0 && !signal.aborted; spans = next(from)) {
    const found = await readNow({ client }, ledger, spans, signal);
    ledger.recount();
    ledger.apply([], {}, () => {
      for (const { position, traceId, spanId } of spans) {
        const span = fromRecord(found?.get(`${traceId} ${spanId}`) ?? {});
        if (span !== null) store.spans.takeKnown(ledger.id, position, span);
      }
    });
    from = (spans.at(-1)?.position ?? from) + 1;
    await slicer.pause();
  }
}

/** Stores the service's answers about these spans in one commit. */
function take(
  store: Deps['store'],
  ledger: BuildLedger,
  spans: readonly StoredSpan[],
  found: ReadonlyMap<string, SpanRecord>,
  isTimed: (span: StoredSpan) => boolean,
): void {
  const records = store.spans.records(
    ledger.id,
    spans.map(({ position }) => position),
  );
  const said = spans.map((span) => {
    const { position, traceId, spanId } = span;
    const there = found.get(`${traceId} ${spanId}`);
    const known = there === undefined ? null : fromRecord(there);
    if (there === undefined || known === null)
      return { position, known: null, answer: isTimed(span) ? ('absent' as const) : ('no-time' as const) };
    const isSame = holdsAll(there, parseRecord(records.get(position)));
    return { position, known: isSame ? known : null, answer: 'other' as const };
  });
  const ask = askOf(ledger);
  const known = said.filter((each) => each.known !== null).length;
  const sums = { ...ask, asked: ask.asked + spans.length, known: ask.known + known };
  ledger.apply([], { ask: sums }, () => {
    for (const { position, known: span, answer } of said) {
      if (span === null) store.spanFiles.answer(ledger.id, position, answer);
      else store.spans.takeKnown(ledger.id, position, span);
    }
  });
}

const askOf = (ledger: BuildLedger): BuildAsk => ledger.stored.ask ?? NEW_ASK;

/** Whether the service's span has every value of the file's span. */
function holdsAll(there: SpanRecord, here: SpanRecord | null): boolean {
  const values = attributesOf(there);
  return Object.entries(attributesOf(here)).every(
    ([key, value]) => Object.hasOwn(values, key) && canonicalJson(values[key]) === canonicalJson(value),
  );
}
