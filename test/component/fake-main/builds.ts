/** Datasets from spans, stored in memory instead of in the main process. */
import { agreementsOf } from '../../../electron/core/statistics/reviewers.ts';
import type {
  BuildCounts,
  BuildPlan,
  BuildRow,
  DatasetBuild,
  Mapping,
  PickStep,
  RecheckDifference,
  SpanRef,
  SpanState,
  StepDirection,
} from '../../../electron/shared/dataset-model.ts';
import { expectedText, withExpected } from '../../../electron/shared/expected-output.ts';
import type { JobAction } from '../../../electron/shared/job-kinds/job-kind.ts';
import { spanTexts } from '../../../electron/shared/messages/span-messages.ts';
import type { NearDuplicatePair, SpanNearDuplicate } from '../../../electron/shared/near-duplicate-model.ts';
import { effectsOf, foldReview } from '../../../electron/shared/review-fold.ts';
import type { ReviewEvent } from '../../../electron/shared/review-model.ts';
import type { SecondReviewCounts } from '../../../electron/shared/second-review.ts';
import { attributesOf, coverageOf, itemOf, keysOf, problemsOf } from './mapping.ts';
import { type Json, ROWS } from './records.ts';
import { CONNECTION_ID, NOW, scenario, uuid } from './scenario.ts';
import { checkFile } from './span-file.ts';

interface Kept {
  build: DatasetBuild;
  spans: { record: Json; state: SpanState }[];
  review: ReviewEvent[];
  steps: Record<StepDirection, { step: PickStep; spans: Kept['spans'] }[]>;
  nearDuplicates: Map<number, SpanNearDuplicate>;
}
const kept = new Map<string, Kept>();

export const spans = () => ROWS['spans.query'] ?? { total: 0, make: () => ({}) };
const keyOf = ({ trace_id, span_id }: SpanRef): string => `${trace_id}/${span_id}`;
const refOf = (record: Json): SpanRef => ({
  trace_id: String(record['trace_id']),
  span_id: String(record['span_id']),
});

export function of(buildId: string): Kept {
  const found = kept.get(buildId);
  if (found === undefined) throw new Error(`No build ${buildId}.`);
  return found;
}

/** The build with updated counts. */
function told(entry: Kept): DatasetBuild {
  const count = (state: SpanState): number => entry.spans.filter((span) => span.state === state).length;
  const counts: BuildCounts = {
    picked: entry.spans.length,
    excluded: count('excluded'),
    added: count('added'),
    unsent: count('unsent'),
    unresolved: count('unresolved'),
    sending: count('sending'),
    unknown: count('unknown'),
    acknowledged: count('acknowledged'),
    givenUp: count('given-up'),
    withoutRecord: 0,
  };
  const { mapping, target } = entry.build;
  const problems = [
    ...problemsOf(mapping),
    ...(target === null ? ['Choose a dataset.'] : target.name === '' ? ['The dataset has no name.'] : []),
  ];
  const found = [...entry.nearDuplicates.keys()];
  const skipped = found.filter((at) => entry.spans[at]?.state === 'excluded').length;
  const nearDuplicates = entry.build.nearDuplicates && { ...entry.build.nearDuplicates, skipped };
  const [undo, redo] = (['undo', 'redo'] as const).map(
    (direction) => entry.steps[direction].at(-1)?.step ?? null,
  );
  entry.build = {
    ...entry.build,
    counts,
    problems,
    nearDuplicates,
    undo: undo ?? null,
    redo: redo ?? null,
    changedAtMs: entry.build.changedAtMs + 1,
  };
  return entry.build;
}

const away = new Map<string, Kept>();

export function forget(buildId: string): void {
  away.set(buildId, of(buildId));
  kept.delete(buildId);
}

export function restore(buildId: string): DatasetBuild {
  const entry = away.get(buildId);
  if (entry === undefined) throw new Error(`Build ${buildId} is gone.`);
  kept.set(buildId, entry);
  return told(entry);
}

export function list(): DatasetBuild[] {
  return [...kept.values()].map(({ build }) => build).reverse();
}

export function create(given: {
  applicationId: string;
  applicationName: string;
  name: string;
}): DatasetBuild {
  const build: DatasetBuild = {
    buildId: uuid(9_000 + kept.size + away.size),
    connectionId: CONNECTION_ID,
    ...given,
    state: 'editing',
    reason: '',
    error: null,
    mapping: [],
    target: null,
    datasetId: scenario.draftDataset ?? null,
    skipsAdded: true,
    skipsUnresolved: false,
    nearDuplicates: null,
    timeRange: null,
    marginMs: 0,
    search: null,
    recheck: null,
    ask: null,
    counts: {
      picked: 0,
      excluded: 0,
      added: 0,
      unsent: 0,
      unresolved: 0,
      sending: 0,
      unknown: 0,
      acknowledged: 0,
      givenUp: 0,
      withoutRecord: 0,
    },
    batches: { total: 0, acknowledged: 0, unknown: 0, doubtful: 0 },
    doubt: null,
    fill: null,
    undo: null,
    redo: null,
    check: null,
    spanRange: null,
    problems: [],
    createdAtMs: NOW,
    changedAtMs: NOW,
    startAtMs: null,
    lateStart: null,
    endedAtMs: null,
  };
  const entry = { build, spans: [], review: [], steps: { undo: [], redo: [] }, nearDuplicates: new Map() };
  kept.set(build.buildId, entry);
  return told(entry);
}

export function change(buildId: string, patch: Partial<DatasetBuild>): DatasetBuild {
  const entry = of(buildId);
  entry.build = { ...entry.build, ...patch };
  return told(entry);
}

function begin(entry: Kept, what: PickStep['what'], count: number): void {
  if (count > 0)
    entry.steps = {
      undo: [...entry.steps.undo, { step: { what, spans: count }, spans: [...entry.spans] }],
      redo: [],
    };
}

export function step(buildId: string, direction: StepDirection): DatasetBuild {
  const entry = of(buildId);
  const turned = entry.steps[direction].pop();
  if (turned === undefined) throw new Error(`There is nothing to ${direction}.`);
  entry.steps[direction === 'undo' ? 'redo' : 'undo'].push({ step: turned.step, spans: entry.spans });
  entry.spans = turned.spans;
  return told(entry);
}

export function add(entry: Kept, records: readonly Json[]): number {
  const known = new Set(entry.spans.map(({ record }) => keyOf(refOf(record))));
  const fresh = records.filter((record) => !known.has(keyOf(refOf(record))));
  begin(entry, 'pick', fresh.length);
  entry.spans.push(...fresh.map((record) => ({ record, state: 'unsent' as const })));
  return fresh.length;
}

export function pick(buildId: string, picked: readonly (SpanRef & { position: number })[]) {
  const entry = of(buildId);
  const added = add(
    entry,
    picked.map(({ position }) => spans().make(position)),
  );
  return { build: told(entry), added, known: picked.length - added, missing: [] };
}

export function pickOf(buildId: string, fromId: string, positions: readonly number[]): DatasetBuild {
  const entry = of(buildId);
  add(
    entry,
    of(fromId)
      .spans.filter((_, at) => positions.includes(at))
      .map(({ record }) => record),
  );
  return told(entry);
}

export function pickAll(buildId: string, source: NonNullable<DatasetBuild['fill']>['source']): DatasetBuild {
  const entry = of(buildId);
  const { make } = spans();
  const ofFile = source.kind === 'file' ? checkFile().spans : null;
  const records =
    source.kind === 'basket'
      ? of(source.buildId).spans.map(({ record }) => record)
      : Array.from(
          {
            length:
              ofFile ?? (source.kind === 'stored' ? (scenario.storedRows ?? spans().total) : spans().total),
          },
          (_, index) => make(index),
        );
  const total = records.length;
  const stalls = entry.build.fill === null ? scenario.pickStalls : undefined;
  const read = records.slice(0, stalls ?? total);
  const added = add(entry, read);
  entry.build = {
    ...entry.build,
    fill: {
      phase: stalls === undefined ? 'done' : 'running',
      source,
      fetched: read.length,
      added,
      total,
      hasMovedWhileRead: false,
      error: null,
    },
  };
  return told(entry);
}

export function unpick(buildId: string, named: readonly SpanRef[] | 'all' | 'excluded'): DatasetBuild {
  const entry = of(buildId);
  const gone = Array.isArray(named) ? new Set(named.map(keyOf)) : null;
  const left = entry.spans.filter(({ record, state }) =>
    gone === null ? named === 'excluded' && state !== 'excluded' : !gone.has(keyOf(refOf(record))),
  );
  begin(entry, 'unpick', entry.spans.length - left.length);
  entry.spans = left;
  return told(entry);
}

export function exclude(buildId: string, positions: readonly number[], isExcluded: boolean): DatasetBuild {
  const entry = of(buildId);
  for (const position of positions) {
    const span = entry.spans[position];
    if (span !== undefined) span.state = isExcluded ? 'excluded' : 'unsent';
  }
  return told(entry);
}

/** Marks every tenth span as a near-duplicate of the one ten before it, which has the same kind of short question. */
export function findNearDuplicates(buildId: string, threshold: number, skips: 'all' | 'sure'): DatasetBuild {
  const entry = of(buildId);
  entry.nearDuplicates = new Map(
    entry.spans.flatMap((_, position): [number, SpanNearDuplicate][] => {
      const likeness = position % 20 === 0 ? 1 : 0.9;
      if (position === 0 || position % 10 !== 0 || likeness < threshold) return [];
      return [[position, { of: { kind: 'span', position: position - 10 }, likeness }]];
    }),
  );
  entry.spans.forEach((span, position) => {
    const isNearDuplicate = entry.nearDuplicates.has(position);
    if (span.state === 'unsent' && isNearDuplicate && skips === 'all') span.state = 'excluded';
    else if (span.state === 'excluded' && !isNearDuplicate) span.state = 'unsent';
  });
  const { size: found } = entry.nearDuplicates;
  const nearDuplicates = { threshold, found, skipped: skips === 'all' ? found : 0 };
  entry.build = { ...entry.build, nearDuplicates };
  return told(entry);
}

export function readNearDuplicate(buildId: string, position: number): NearDuplicatePair {
  const nearDuplicate = of(buildId).nearDuplicates.get(position);
  if (nearDuplicate === undefined) throw new Error(`No near-duplicate at ${position}.`);
  return {
    ...nearDuplicate,
    isCut: false,
    pieces: [
      { kind: 'same', text: 'Where is my refund for order ' },
      { kind: 'removed', text: '10000' },
      { kind: 'added', text: '10010' },
      { kind: 'same', text: '?' },
    ],
  };
}

/** Returns one span with a different answer, one that was deleted, and one at another time. */
export function readDifferences(buildId: string): { differences: RecheckDifference[]; total: number } {
  const names = ['draft_answer', 'handle_request', 'search_orders'];
  const spans = of(buildId).spans.slice(0, 3);
  const differences = spans.map(
    ({ record }, position): RecheckDifference => ({
      ...{
        position,
        name: names[position] ?? null,
        spanId: refOf(record).span_id,
        kind: 'gone',
        changes: [],
      },
      startsNow: null,
    }),
  );
  const pieces = [
    { kind: 'same' as const, text: 'It was paid on ' },
    { kind: 'removed' as const, text: 'Monday' },
    { kind: 'added' as const, text: 'Tuesday' },
    { kind: 'same' as const, text: '; it takes two days.' },
  ];
  const changes = [{ path: 'expected_outputs.answer', kind: 'changed' as const, pieces }];
  Object.assign(differences[0] ?? {}, { kind: 'changed', changes });
  Object.assign(differences[2] ?? {}, { kind: 'moved', startsNow: '2026-07-02T09:41:12Z' });
  return { differences, total: 3 };
}

export function readReview(buildId: string, seq: number) {
  const { review } = of(buildId);
  return { events: review.slice(seq, seq + 200), total: review.length };
}

export function addReview(buildId: string, seq: number, events: readonly ReviewEvent[]): DatasetBuild {
  const entry = of(buildId);
  if (seq !== entry.review.length) throw new Error(`Event ${seq} does not follow ${entry.review.length}.`);
  const before = foldReview(entry.review);
  entry.review.push(...events);
  const { excluded, included } = effectsOf(before, foldReview(entry.review));
  if (entry.build.state !== 'editing') return entry.build;
  exclude(buildId, excluded, true);
  return exclude(buildId, included, false);
}

/** The other reviewer accepts every span and names no failure kind. */
export function addSecondReview(buildId: string, reviewer: string): SecondReviewCounts {
  const entry = of(buildId);
  const marks = entry.spans.map((_, position) => ({
    ...{ position, verdict: 'accepted' as const, kind: null, note: 'Answers the question.' },
  }));
  entry.review.push({ type: 'second-review', reviewer, isFirst: true, marks, atMs: NOW });
  return {
    rows: marks.length + 2,
    decisions: marks.length,
    undecided: 2,
    notHere: 0,
    repeated: 0,
    badRows: 0,
  };
}

export const agreements = (buildId: string) =>
  agreementsOf(foldReview(of(buildId).review), new Set(readPlaces(buildId, 0)));

export function readPlaces(buildId: string, position: number): number[] {
  return of(buildId)
    .spans.map((_, at) => at)
    .slice(position, position + 5_000);
}

export function readSpan(buildId: string, position: number) {
  const entry = of(buildId);
  return {
    row: rowOf(entry, entry.build.mapping, position),
    record: entry.spans[position]?.record ?? null,
    expected: expectedText(
      itemOf(entry.spans[position]?.record ?? {}, entry.build.mapping),
      entry.build.mapping,
    ),
  };
}

export function findPicked(buildId: string, named: readonly SpanRef[]) {
  const places = new Map(
    of(buildId).spans.map(({ record, state }, position) => [keyOf(refOf(record)), { position, state }]),
  );
  return named.map((ref) => places.get(keyOf(ref)) ?? null);
}

function editOf({ review }: Kept, position: number): string | null {
  const mark = foldReview(review).marks.get(position);
  return mark?.verdict === 'edited' ? mark.expected : null;
}

function rowOf(entry: Kept, mapping: Mapping, position: number): BuildRow {
  const { record, state } = entry.spans[position] ?? { record: {}, state: 'unsent' };
  const attributes = attributesOf(record);
  const item = itemOf(record, mapping);
  const edited = editOf(entry, position);
  const texts = spanTexts(record);
  const said = (name: 'input' | 'output') => (texts[name] === undefined ? null : String(texts[name]));
  return {
    position,
    ...refOf(record),
    name: String(record['name']),
    span_type: String(record['span_type']),
    start_time: String(record['start_time']),
    input: said('input'),
    output: said('output'),
    state,
    item: edited === null ? item : withExpected(item, mapping, edited),
    isCut: false,
    isEdited: edited !== null,
    isOfFile: false,
    missing: mapping.filter(({ key }) => !(key in attributes)),
    nearDuplicate: entry.nearDuplicates.get(position) ?? null,
    itemId: null,
    message: null,
    batch: null,
  };
}

export function readRows(
  buildId: string,
  question: { mapping: Mapping | null; show: string; offset: number; limit: number },
) {
  const entry = of(buildId);
  const mapping = question.mapping ?? entry.build.mapping;
  const rows = entry.spans
    .map((_, position) => rowOf(entry, mapping, position))
    .filter(({ missing, state, nearDuplicate }) =>
      question.show === 'all'
        ? true
        : question.show === 'near-duplicates'
          ? nearDuplicate !== null
          : question.show === 'missing'
            ? missing.length > 0
            : state === question.show,
    );
  return { rows: rows.slice(question.offset, question.offset + question.limit), matchingRows: rows.length };
}

const attributesIn = (buildId: string): Json[] => of(buildId).spans.map(({ record }) => attributesOf(record));

export const listKeys = (buildId: string, search: string) => keysOf(attributesIn(buildId), search);

export const checkMapping = (buildId: string, mapping: Mapping) =>
  coverageOf(attributesIn(buildId), mapping, of(buildId).build.target);

export function plan(buildId: string): BuildPlan {
  const spans = of(buildId).spans.filter(({ state }) => state === 'unsent').length;
  const calls = Math.ceil(spans / 200);
  return {
    calls,
    spans,
    edited: 0,
    itemCalls: 0,
    ...{ ofFile: 0, unasked: 0, absent: 0, other: 0 },
    requests: [{ operation: 'datasets.add-spans', count: calls }],
    finishAtMs: NOW + 2_000 * calls,
    limit: null,
    sentence: `${calls} requests add ${spans} items.`,
  };
}

export function control(buildId: string, action: JobAction, startAtMs: number | null): DatasetBuild {
  if (action === 'restore') return restore(buildId);
  const entry = of(buildId);
  const { fill } = entry.build;
  if (action === 'stop-picking' && fill !== null)
    entry.build = { ...entry.build, fill: { ...fill, phase: 'stopped' } };
  const planned = action === 'schedule' ? startAtMs : null;
  const state = action === 'start' || action === 'resume' ? ('committing' as const) : entry.build.state;
  const error = state === 'committing' ? null : entry.build.error;
  entry.build = { ...entry.build, startAtMs: planned, state, error };
  return told(entry);
}
