/** Reads picked spans again before the first call, finds changes since they were prepared, and applies them. */

import { describeChange } from '../core/snapshots/fields.ts';
import { startMsOf } from '../core/spans/call-range.ts';
import { firstDifference } from '../core/spans/span-mapping.ts';
import { WIDEST_FIRST } from '../core/spans/wider-search.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import type { StoredSpan } from '../db/build-store.ts';
import type { SpanNow } from '../db/span-now-store.ts';
import { counted } from '../shared/count-text.ts';
import type { BuildAnswers } from '../shared/dataset-contract.ts';
import { type BuildRecheck, type RecheckDifference, SPANS_A_REQUEST } from '../shared/dataset-model.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { BuildLedger } from './build-ledger.ts';
import { moveSpans } from './move-spans.ts';
import { isRejection, readNow } from './read-now.ts';
import { itemOfRecord, parseRecord } from './span-item.ts';
import type { DatasetsDeps } from './types.ts';

type SpanRecord = Record<string, unknown>;
type Deps = Pick<DatasetsDeps, 'store' | 'client' | 'clock' | 'logger'>;

/** Number of spans moved in one commit. */
const CHUNK = 100;
const MESSAGE_CHARACTERS = 90_000;

export const NEW_RECHECK: BuildRecheck = {
  phase: 'due',
  atMs: null,
  checked: 0,
  gone: 0,
  changed: 0,
  moved: 0,
};

/**
 * Reads every span to be sent. Returns false if some differ from their prepared state, so that a person must decide.
 * Spans that differ only in their time need no decision; they are sent with the new time.
 */
export async function recheck(deps: Deps, ledger: BuildLedger, signal: AbortSignal): Promise<boolean> {
  const { store, clock, logger } = deps;
  const slicer = new TimeSlicer(clock);
  ledger.apply([], { recheck: NEW_RECHECK }, () => store.spansNow.clear(ledger.id));
  try {
    for (let from = 0; ; ) {
      const spans = store.spans.after(
        ledger.id,
        { states: ['unsent'], shapeIds: null },
        from,
        SPANS_A_REQUEST,
      );
      const last = spans.at(-1);
      if (last === undefined) break;
      // Spans of files are not compared, because they are sent with the file's values.
      const ofFile = store.spanFiles.among(
        ledger.id,
        spans.map(({ position }) => position),
      );
      const ours = spans.filter(({ position }) => !ofFile.has(position));
      if (ours.length > 0) await recheckSlice(deps, ledger, ours, signal);
      from = last.position + 1;
      await slicer.pause();
    }
    await lookWider(deps, ledger, signal);
  } catch (thrown) {
    const error = toAppError(thrown);
    if (!isRejection(error)) throw error;
    logger.warn('spans not read again', { build: ledger.id, reason: error.message });
    ledger.apply([], { recheck: { ...NEW_RECHECK, phase: 'refused', atMs: clock.nowMs() } });
    return true;
  }
  const found = ledger.stored.recheck ?? NEW_RECHECK;
  const hasSameItems = found.gone + found.changed === 0;
  const isSame = hasSameItems && found.moved === 0;
  const done = { ...found, phase: isSame ? ('same' as const) : ('found' as const), atMs: clock.nowMs() };
  if (hasSameItems) {
    ledger.apply([], { recheck: done });
    await takeNow(deps, ledger);
  } else {
    const error = new AppError('CONFLICT', differenceText(found), { outcome: 'unsent' });
    ledger.apply([{ type: 'fail', reason: error.message, error: error.toWire() }], { recheck: done });
  }
  return hasSameItems;
}

function differenceText({ checked, gone, changed, moved }: BuildRecheck): string {
  const parts = [
    ...(gone > 0 ? [`${counted(gone, 'span')} gone`] : []),
    ...(changed > 0 ? [`${counted(changed, 'span')} with other values`] : []),
    ...(moved > 0 ? [`${counted(moved, 'span')} at another time`] : []),
  ];
  return `Nothing was sent yet. Of ${counted(checked, 'span')} as you prepared them: ${parts.join(', ')}. Look at what changed, then continue.`;
}

async function recheckSlice(
  deps: Deps,
  ledger: BuildLedger,
  spans: readonly StoredSpan[],
  signal: AbortSignal,
): Promise<void> {
  const now = await readNow(deps, ledger, spans, signal);
  if (now === null) return;
  const compared = compare(deps, ledger, spans, now);
  const told = ledger.stored.recheck ?? NEW_RECHECK;
  const sums = {
    ...told,
    checked: told.checked + spans.length,
    gone: told.gone + compared.gone,
    changed: told.changed + compared.changed,
    moved: told.moved + compared.moved,
  };
  ledger.apply([], { recheck: sums }, () => deps.store.spansNow.add(ledger.id, compared.differing));
}

/** Spans that were not found are queried once more, in the widest range that the service accepts. */
async function lookWider(deps: Deps, ledger: BuildLedger, signal: AbortSignal): Promise<void> {
  const { store, clock } = deps;
  // Bounds set by a person apply to every call, so the range is not widened.
  if (ledger.stored.timeRange !== null) return;
  const slicer = new TimeSlicer(clock);
  const margins = [...WIDEST_FIRST];
  const next = (from: number) => store.spansNow.gone(ledger.id, from, SPANS_A_REQUEST);
  for (let from = 0, positions = next(from); positions.length > 0; positions = next(from)) {
    const spans = positions.flatMap((position) => store.spans.at(ledger.id, position) ?? []);
    const now = await readWidest(deps, ledger, spans, margins, signal);
    if (now === null) return;
    const found = spans.filter(({ traceId, spanId }) => now.has(`${traceId} ${spanId}`));
    const { differing, changed, moved } = compare(deps, ledger, found, now, true);
    const told = ledger.stored.recheck ?? NEW_RECHECK;
    const sums = {
      ...told,
      gone: told.gone - found.length,
      changed: told.changed + changed,
      moved: told.moved + moved,
    };
    ledger.apply([], { recheck: sums }, () => store.spansNow.add(ledger.id, differing));
    from = (positions.at(-1) ?? from) + 1;
    await slicer.pause();
  }
}

/** Tries the margins in order and removes those that the service rejects; null if it rejects all of them. */
async function readWidest(
  deps: Deps,
  ledger: BuildLedger,
  spans: readonly StoredSpan[],
  margins: number[],
  signal: AbortSignal,
): Promise<Map<string, SpanRecord> | null> {
  for (let marginMs = margins[0]; marginMs !== undefined; marginMs = margins[0]) {
    try {
      return await readNow(deps, ledger, spans, signal, marginMs);
    } catch (thrown) {
      const error = toAppError(thrown);
      if (!isRejection(error)) throw error;
      deps.logger.warn('wider range refused', { build: ledger.id, marginMs, reason: error.message });
      margins.shift();
    }
  }
  return null;
}

/**
 * Differences from the prepared state, and their number by kind. `isElsewhere`: the spans were found outside their own
 * time range.
 */
function compare(
  { store }: Deps,
  ledger: BuildLedger,
  spans: readonly StoredSpan[],
  now: ReadonlyMap<string, SpanRecord>,
  isElsewhere = false,
): { differing: SpanNow[]; gone: number; changed: number; moved: number } {
  const positions = spans.map(({ position }) => position);
  const before = store.spans.records(ledger.id, positions);
  const edits = store.spans.edits(ledger.id, positions);
  const { mapping } = ledger.stored;
  const all = spans.map((span) => {
    const { position, traceId, spanId } = span;
    const record = now.get(`${traceId} ${spanId}`);
    if (record === undefined) return { position, record: null, kind: 'gone' as const };
    const known = parseRecord(before.get(position));
    const itemOf = (of: SpanRecord) => itemOfRecord(of, mapping, edits.get(position)).item;
    const hasSameItem = known === null || firstDifference(itemOf(known), itemOf(record)) === null;
    const kind = hasSameItem ? (isElsewhere || isMoved(ledger, span, record) ? 'moved' : 'same') : 'changed';
    return { position, record: JSON.stringify(record), kind };
  });
  const count = (kind: string) => all.filter((each) => each.kind === kind).length;
  return {
    differing: all.flatMap(({ position, record, kind }) => (kind === 'same' ? [] : [{ position, record }])),
    ...{ gone: count('gone'), changed: count('changed'), moved: count('moved') },
  };
}

/** Whether the span's time is so far from the expected one that it is outside the range of a call. */
function isMoved({ stored }: BuildLedger, { startMs }: StoredSpan, now: SpanRecord): boolean {
  const nowMs = startMsOf(now['start_time']);
  return startMs !== null && nowMs !== null && Math.abs(nowMs - startMs) > stored.marginMs;
}

/** Applies the differences: missing spans are left out, and the others get their current values and times. */
export async function takeNow({ store, clock }: Deps, ledger: BuildLedger): Promise<void> {
  const found = ledger.stored.recheck;
  if (found?.phase !== 'found') return;
  const slicer = new TimeSlicer(clock);
  for (let from = 0; ; ) {
    const positions = store.spansNow.gone(ledger.id, from, CHUNK);
    const last = positions.at(-1);
    if (last === undefined) break;
    moveSpans({ store }, ledger, positions, { sources: ['unsent'], to: 'excluded' });
    from = last + 1;
    await slicer.pause();
  }
  for (let offset = 0; ; offset += CHUNK) {
    const spans = store.spansNow.list(ledger.id, offset, CHUNK);
    if (spans.length === 0) break;
    ledger.apply([], {}, () => {
      for (const { position, record } of spans) {
        const startTime = parseRecord(record ?? undefined)?.['start_time'];
        const startMs = startMsOf(startTime);
        if (startMs === null) continue;
        store.spans.startAt(ledger.id, position, { startMs, startTime: String(startTime) });
      }
    });
    await slicer.pause();
  }
  const { firstMs, lastMs } = store.spans.range(ledger.id);
  const times = { firstStartMs: firstMs, lastStartMs: lastMs };
  ledger.apply([], { recheck: { ...found, phase: 'taken' }, ...times }, () => {
    store.spansNow.take(ledger.id);
    store.spansNow.clear(ledger.id);
  });
}

/** Returns as many differences as fit into a message. */
export function readDifferences(
  { store }: Pick<DatasetsDeps, 'store'>,
  ledger: BuildLedger,
  offset: number,
  limit: number,
): BuildAnswers['differences'] {
  const { mapping, recheck: found } = ledger.stored;
  const total = found?.phase === 'found' ? found.gone + found.changed + found.moved : 0;
  const differences: RecheckDifference[] = [];
  let characters = 0;
  for (const { position, record } of store.spansNow.list(ledger.id, offset, total === 0 ? 0 : limit)) {
    const span = store.spans.at(ledger.id, position);
    const before = parseRecord(store.spans.records(ledger.id, [position]).get(position));
    const after = parseRecord(record ?? undefined);
    const edited = store.spans.edits(ledger.id, [position]).get(position);
    const itemOf = (of: SpanRecord) => ({ ...itemOfRecord(of, mapping, edited).item });
    const changes =
      before === null || after === null ? [] : describeChange(itemOf(before), itemOf(after)).changes;
    characters += JSON.stringify(changes).length;
    if (differences.length > 0 && characters > MESSAGE_CHARACTERS) break;
    const startsNow =
      span !== null && after !== null && isMoved(ledger, span, after) ? after['start_time'] : null;
    differences.push({
      ...{ position, name: span?.name ?? null, spanId: span?.spanId ?? '' },
      ...{ kind: record === null ? 'gone' : changes.length > 0 ? 'changed' : 'moved', changes },
      startsNow: typeof startsNow === 'string' ? startsNow : null,
    });
  }
  return { differences, total };
}
