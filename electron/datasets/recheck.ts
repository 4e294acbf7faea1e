/** Picked spans read again before the first call: what changed since they were prepared, and going on with it. */
import { Breather } from '../core/breather.ts';
import { describeChange } from '../core/snapshots/fields.ts';
import { firstDifference } from '../core/spans/span-mapping.ts';
import type { StoredSpan } from '../db/build-store.ts';
import type { SpanNow } from '../db/span-now-store.ts';
import { counted } from '../shared/count-text.ts';
import type { BuildAnswers } from '../shared/dataset-contract.ts';
import { type BuildRecheck, type RecheckDifference, SPANS_A_REQUEST } from '../shared/dataset-model.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { BuildLedger } from './build-ledger.ts';
import { moveSpans } from './move-spans.ts';
import { isRefusal, readNow } from './read-now.ts';
import { itemOfRecord, parseRecord } from './span-item.ts';
import type { DatasetsDeps } from './types.ts';

type SpanRecord = Record<string, unknown>;
type Deps = Pick<DatasetsDeps, 'store' | 'client' | 'clock' | 'logger'>;

/** Spans moved in one commit. */
const CHUNK = 100;
const MESSAGE_CHARACTERS = 90_000;

export const NEW_RECHECK: BuildRecheck = { phase: 'due', atMs: null, checked: 0, gone: 0, changed: 0 };

/** Reads every span that is to be sent; false where some are not as they were prepared: then it is for a person. */
export async function recheck(deps: Deps, ledger: BuildLedger, signal: AbortSignal): Promise<boolean> {
  const { store, clock, logger } = deps;
  const breather = new Breather(clock);
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
      // What comes from a file goes as it is there.
      const ofFile = store.spanFiles.among(
        ledger.id,
        spans.map(({ position }) => position),
      );
      const ours = spans.filter(({ position }) => !ofFile.has(position));
      if (ours.length > 0) await recheckSlice(deps, ledger, ours, signal);
      from = last.position + 1;
      await breather.pause();
    }
  } catch (thrown) {
    const error = toAppError(thrown);
    if (!isRefusal(error)) throw error;
    logger.warn('spans not read again', { build: ledger.id, reason: error.message });
    ledger.apply([], { recheck: { ...NEW_RECHECK, phase: 'refused', atMs: clock.nowMs() } });
    return true;
  }
  const found = ledger.stored.recheck ?? NEW_RECHECK;
  const isSame = found.gone + found.changed === 0;
  const done = { ...found, phase: isSame ? ('same' as const) : ('found' as const), atMs: clock.nowMs() };
  if (isSame) ledger.apply([], { recheck: done });
  else {
    const error = new AppError('CONFLICT', differenceText(found), { outcome: 'unsent' });
    ledger.apply([{ type: 'fail', reason: error.message, error: error.toWire() }], { recheck: done });
  }
  return isSame;
}

function differenceText({ checked, gone, changed }: BuildRecheck): string {
  const parts = [
    ...(gone > 0 ? [`${counted(gone, 'span')} gone`] : []),
    ...(changed > 0 ? [`${counted(changed, 'span')} with other values`] : []),
  ];
  return `Nothing was sent yet. Of ${counted(checked, 'span')} as you prepared them: ${parts.join(', ')}. Look at what changed, then continue.`;
}

async function recheckSlice(
  deps: Deps,
  ledger: BuildLedger,
  spans: readonly StoredSpan[],
  signal: AbortSignal,
): Promise<void> {
  const { store } = deps;
  const now = await readNow(deps, ledger, spans, signal);
  if (now === null) return;
  const positions = spans.map(({ position }) => position);
  const before = store.spans.records(ledger.id, positions);
  const edits = store.spans.edits(ledger.id, positions);
  const { mapping, recheck: so = NEW_RECHECK } = ledger.stored;
  const differing = spans.flatMap(({ position, traceId, spanId }): SpanNow[] => {
    const record = now.get(`${traceId} ${spanId}`);
    if (record === undefined) return [{ position, record: null }];
    const known = parseRecord(before.get(position));
    if (known === null) return [];
    const itemOf = (of: SpanRecord) => itemOfRecord(of, mapping, edits.get(position)).item;
    const isSame = firstDifference(itemOf(known), itemOf(record)) === null;
    return isSame ? [] : [{ position, record: JSON.stringify(record) }];
  });
  const gone = differing.filter(({ record }) => record === null).length;
  const told = so ?? NEW_RECHECK;
  const sums = {
    ...told,
    checked: told.checked + spans.length,
    gone: told.gone + gone,
    changed: told.changed + differing.length - gone,
  };
  ledger.apply([], { recheck: sums }, () => store.spansNow.add(ledger.id, differing));
}

/** Those that are gone are left out, the others have the values of now. */
export async function takeNow({ store, clock }: Deps, ledger: BuildLedger): Promise<void> {
  const found = ledger.stored.recheck;
  if (found?.phase !== 'found') return;
  const breather = new Breather(clock);
  for (let from = 0; ; ) {
    const positions = store.spansNow.gone(ledger.id, from, CHUNK);
    const last = positions.at(-1);
    if (last === undefined) break;
    moveSpans({ store }, ledger, positions, { sources: ['unsent'], to: 'excluded' });
    from = last + 1;
    await breather.pause();
  }
  ledger.apply([], { recheck: { ...found, phase: 'taken' } }, () => {
    store.spansNow.take(ledger.id);
    store.spansNow.clear(ledger.id);
  });
}

/** As many as a message carries. */
export function readDifferences(
  { store }: Pick<DatasetsDeps, 'store'>,
  ledger: BuildLedger,
  offset: number,
  limit: number,
): BuildAnswers['differences'] {
  const { mapping, recheck: found } = ledger.stored;
  const total = found?.phase === 'found' ? found.gone + found.changed : 0;
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
    differences.push({
      ...{ position, name: span?.name ?? null, spanId: span?.spanId ?? '' },
      ...{ kind: record === null ? 'gone' : 'changed', changes },
    });
  }
  return { differences, total };
}
