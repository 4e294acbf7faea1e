/**
 * The thread that finds near-duplicates among the spans of a build. `datasets/near-duplicate-thread.ts` starts one for
 * each search.
 */
import { existsSync } from 'node:fs';
import { getEnvironmentData, parentPort, workerData } from 'node:worker_threads';
import { inputText } from '../core/near-duplicates/input-text.ts';
import { NearDuplicateIndex, type NearDuplicateRole } from '../core/near-duplicates/near-duplicate-index.ts';
import { attributesOf, mapSpan } from '../core/spans/span-mapping.ts';
import type { ThreadReply } from '../datasets/ask-thread.ts';
import type { FoundNearDuplicate, NearDuplicateRequest } from '../datasets/near-duplicate-thread.ts';
import { createSpanStore } from '../db/build-span-store.ts';
import { openToRead } from '../db/open-file.ts';
import { openSnapshotStore } from '../db/snapshot-store.ts';
import { systemClock } from '../platform/system.ts';
import type { SpanState } from '../shared/dataset-model.ts';
import { toAppError } from '../shared/errors.ts';
import { parseExactObject } from '../shared/exact-json.ts';
import { takeFormats } from '../shared/thread-formats.ts';

takeFormats(getEnvironmentData);

const port = parentPort;
if (port === null) throw new Error('The near-duplicate worker is started as a worker thread only.');
const silent = () => undefined;
const ROWS_AT_ONCE = 200;
const MAX_TEXT = 20_000;

interface StoredTexts {
  itemIds: string[];
  /** Number of an item by the span that it names as its source. */
  bySpan: ReadonlyMap<string, number>;
  textOf: (place: number) => string;
  close: () => void;
}

/** Inputs of the dataset's items as they were last read. */
function storedTexts({ snapshotsFile: file, datasetId }: NearDuplicateRequest): StoredTexts {
  const none = { itemIds: [], bySpan: new Map<string, number>(), textOf: () => '', close: silent };
  if (datasetId === null || !existsSync(file)) return none;
  const logger = { debug: silent, info: silent, warn: silent, error: silent };
  const store = openSnapshotStore({ file, clock: systemClock, logger });
  const [latest] = store.list(datasetId).snapshots;
  if (latest === undefined) {
    store.close();
    return none;
  }
  const itemAt = store.itemsByPlace(latest.snapshotId);
  const read = (place: number) => parseExactObject(itemAt(place));
  const bySpan = new Map<string, number>();
  const itemIds = Array.from({ length: latest.items }, (_, place) => {
    const { id, source_id: spanId } = read(place);
    if (typeof spanId === 'string' && spanId !== '') bySpan.set(spanId, place);
    return String(id ?? '');
  });
  return {
    ...{ itemIds, bySpan },
    textOf: (place) => inputText(read(place)['inputs']),
    close: () => store.close(),
  };
}

function roleOf(state: SpanState, isSkipped: boolean): NearDuplicateRole | null {
  if (state === 'excluded') return isSkipped ? 'leads' : null;
  return state === 'added' || state === 'acknowledged' ? 'stored' : 'leads';
}

function find(request: NearDuplicateRequest): FoundNearDuplicate[] {
  const { buildId, mapping, threshold } = request;
  const db = openToRead(request.datasetsFile, { nowMs: systemClock.nowMs() });
  const stored = storedTexts(request);
  try {
    const spans = createSpanStore(db);
    const skipped = new Set(request.skipped);
    const textAt = (position: number) => {
      const record = spans.records(buildId, [position]).get(position);
      const attributes = attributesOf(record === undefined ? null : parseExactObject(record));
      return inputText(mapSpan(attributes, mapping).item.inputs);
    };
    const all = Object.values(spans.tallies(buildId)).reduce((sum, count) => sum + count, 0);
    const items = stored.itemIds.length;
    // Maps the number of a text of a span (following those of the items) to the position of the span.
    const positions = new Int32Array(all);
    let count = 0;
    const index = new NearDuplicateIndex({
      capacity: items + all,
      threshold,
      textOf: (at) => (at < items ? stored.textOf(at) : textAt(positions[at - items] ?? 0)),
    });
    for (let place = 0; place < items; place += 1) index.add(stored.textOf(place), 'stored');
    const found: FoundNearDuplicate[] = [];
    for (let from = 0; count < all; ) {
      const rows = spans.after(buildId, { states: null, shapeIds: null }, from, ROWS_AT_ONCE);
      for (const { position, state, spanId } of rows) {
        from = position + 1;
        const role = roleOf(state, skipped.has(position));
        if (role === null || count >= all) continue;
        positions[count] = position;
        count += 1;
        const text = textAt(position);
        const own = role === 'stored' ? undefined : stored.bySpan.get(spanId);
        // Spans that the dataset already has are not sent, so no other span is excluded as their near-duplicate.
        const nearDuplicate = index.add(text, own === undefined ? role : 'follows');
        const of = own ?? nearDuplicate?.of;
        if (of === undefined) continue;
        const likeness = own === undefined ? (nearDuplicate?.likeness ?? 1) : 1;
        const about = { position, likeness, length: text.length };
        found.push(
          of < items
            ? {
                ...about,
                of: {
                  kind: 'item',
                  itemId: stored.itemIds[of] ?? '',
                  ...(own === undefined ? {} : { isSameSpan: true }),
                },
                text: stored.textOf(of).slice(0, MAX_TEXT + 1),
              }
            : { ...about, of: { kind: 'span', position: positions[of - items] ?? 0 }, text: null },
        );
      }
      if (rows.length < ROWS_AT_ONCE) break;
    }
    return found;
  } finally {
    stored.close();
    db.close();
  }
}

function answer(): ThreadReply<FoundNearDuplicate[]> {
  try {
    // Trusted type: the main thread created the value.
    return { answer: find(workerData as NearDuplicateRequest) };
  } catch (problem) {
    return { error: toAppError(problem).toWire() };
  }
}

port.postMessage(answer());
