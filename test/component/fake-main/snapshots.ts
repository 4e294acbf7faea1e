/** Versions of a fake dataset: three versions, and the differences between two of them. */
import type { InvokeArgs } from '../../../electron/shared/contract.ts';
import type { ListedSchemaChange } from '../../../electron/shared/schema-model.ts';
import type {
  DamagedSnapshot,
  ItemChange,
  Snapshot,
  SnapshotAnswers,
} from '../../../electron/shared/snapshot-model.ts';
import { copy } from './items.ts';
import { DAMAGED } from './lists.ts';
import { type FakeWindow, NOW, scenario } from './scenario.ts';

const DAY_MS = 86_400_000;
const DRIFT = [
  { path: 'metadata.policy', kind: 'new', before: [], after: ['string'], items: 41 },
  { path: 'metadata.order', kind: 'type', before: ['number'], after: ['string'], items: 6 },
] as const;

function version(number: number, nowMs: number, datasetId: string): Snapshot {
  const takenAtMs = nowMs - (4 - number) * DAY_MS;
  return {
    snapshotId: number,
    ...{ datasetId, number, takenAtMs, seenAtMs: takenAtMs, items: 380 + number * 10 },
    ...{ added: 22, changed: 41, removed: 3 },
    drift:
      number === 3
        ? DRIFT.map((each) => ({ ...each, before: [...each.before], after: [...each.after] }))
        : [],
  };
}

const damagedVersion = (number: number): DamagedSnapshot => ({
  ...{ snapshotId: number, number, reason: 'The items are cut off.' },
});

const CHANGES: ItemChange[] = [
  {
    kind: 'changed',
    itemId: 'q-0381',
    title: 'When do I get my 149 € back?',
    by: 'id',
    fields: ['expected_outputs.answer', 'metadata.policy'],
  },
  { kind: 'added', itemId: 'q-0412', title: 'Can a gift card be split?', by: null, fields: [] },
  { kind: 'removed', itemId: 'q-0107', title: 'test test test', by: null, fields: [] },
];

const NEAR_DUPLICATES = [
  { itemId: 'q-0007', title: 'When do I get my 149 € back?', ofItemId: 't-0031', likeness: 1 },
  { itemId: 'q-0112', title: 'Can I split a gift card?', ofItemId: 't-0204', likeness: 0.91 },
];

const VERSION_ITEMS = Array.from({ length: 120 }, (_, at) => ({
  id: `q-${String(at).padStart(4, '0')}`,
  inputs: { question: at === 7 ? 'Can a gift card be split?' : `When do I get my ${at + 40} € back?` },
  expected_outputs: { answer: 'The return was checked on 18 Nov. All of it goes …' },
  metadata: { order: 10_000 + at },
  ...{ source_name: 'span', source_id: `s-${at}`, created_at: '2026-11-12T10:24:35Z' },
}));
const WHOLE = {
  answer: 'The return was checked on 18 Nov. All of it goes to your card within two working days.',
};

let ownId: string | null = null;
const isOtherRead = (): boolean => (globalThis as unknown as FakeWindow).isOtherRead === true;

const SCHEMA: readonly ListedSchemaChange[] = [
  {
    ...{ kind: 'type', group: 'llm', path: 'span_attributes.gen_ai.usage.cost', mappings: [] },
    before: { rows: 4_812, units: 950, types: { number: 4_790, null: 22 } },
    after: { rows: 240, units: 60, types: { string: 240 } },
  },
  {
    ...{ kind: 'coverage', group: 'llm', path: 'span_attributes.gen_ai.request.model', mappings: [] },
    before: { rows: 4_812, units: 950, types: { string: 4_571 } },
    after: { rows: 240, units: 60, types: { string: 48 } },
  },
  {
    ...{ kind: 'blind', group: '', path: 'span_attributes.input.value', mappings: ['QA pairs', 'Refunds'] },
    before: { rows: 9_120, units: 950, types: { string: 4_560 } },
    after: { rows: 480, units: 60, types: {} },
  },
  {
    ...{ kind: 'type', group: '', path: 'metadata.order', mappings: [] },
    before: { rows: 390, units: 390, types: { number: 390 } },
    after: { rows: 41, units: 41, types: { string: 41 } },
  },
].map((change, at) => ({
  ...(change as Pick<ListedSchemaChange, 'kind' | 'group' | 'path' | 'mappings' | 'before' | 'after'>),
  ...{ changeId: at + 1, noticedAtMs: NOW - 3_600_000, sinceMs: NOW - DAY_MS },
  list: at === 3 ? { kind: 'items', id: 'd1' } : { kind: 'spans', id: 'a1' },
  name: at === 3 ? 'Refund questions' : 'Support assistant',
  state: at === 3 ? 'over' : 'open',
}));
let schemaChanges = SCHEMA;

function answerSchema(question: { action: string; changeId?: number }): { changes: ListedSchemaChange[] } {
  if (scenario.schema === 'failed') throw DAMAGED;
  if (scenario.schema === undefined) return { changes: [] };
  schemaChanges = schemaChanges.map((each) =>
    each.changeId === question.changeId ? { ...each, state: 'accepted' } : each,
  );
  return { changes: [...schemaChanges] };
}

export function answerSnapshots(
  question: InvokeArgs<'snapshots:ask'>,
  nowMs: number,
): SnapshotAnswers[keyof SnapshotAnswers] {
  if (question.action === 'list-schema-changes' || question.action === 'accept-schema-change')
    return answerSchema(question);
  if (question.action === 'list') {
    if (scenario.versions === 'failed') throw DAMAGED;
    const { datasetId } = question;
    ownId ??= datasetId;
    if (scenario.isOtherUnread === true && datasetId !== ownId && !isOtherRead())
      return { snapshots: [], damaged: [], fileBytes: 4_900_000 };
    const newestOf = { none: 0, one: 1, failed: 0, 'lost-diff': 3, damaged: 0, three: 3 };
    const newest = newestOf[scenario.versions ?? 'three'];
    const damaged = scenario.versions === 'damaged' ? [damagedVersion(2), damagedVersion(1)] : [];
    const numbers = [3, 2, 1].filter((number) => number <= newest);
    const snapshots = numbers.map((number) => version(number, nowMs, datasetId));
    return { snapshots, damaged, fileBytes: 4_900_000 };
  }
  if (question.action === 'diff' && scenario.versions === 'lost-diff') throw DAMAGED;
  if (question.action === 'near-duplicates') {
    const nearDuplicates = NEAR_DUPLICATES.filter(({ likeness }) =>
      question.kind === null ? true : (likeness === 1) === (question.kind === 'same'),
    );
    return {
      ...{ from: version(1, nowMs, 'other'), to: version(3, nowMs, 'ds'), threshold: question.threshold },
      ...{
        counts: { same: 1, near: question.threshold < 0.85 ? 2 : 1 },
        total: nearDuplicates.length,
        offset: question.offset,
      },
      nearDuplicates: nearDuplicates.slice(question.offset, question.offset + question.limit),
    };
  }
  if (question.action === 'compare' || question.action === 'compare-near-duplicates') {
    return {
      changes: [
        {
          path: 'expected_outputs.answer',
          kind: 'changed',
          pieces: [
            { kind: 'same', text: 'The return was checked on 18 Nov. ' },
            { kind: 'removed', text: 'All 149 €' },
            { kind: 'added', text: '89 €' },
            { kind: 'same', text: ' go to your card within two working days.' },
          ],
        },
        {
          path: 'metadata.policy',
          kind: 'added',
          pieces: [{ kind: 'added', text: '{"name":"returns-2026-10","section":4}' }],
        },
      ],
      same: ['inputs.question', 'metadata.order'],
    };
  }
  if (question.action === 'items') {
    if (scenario.versions === 'lost-diff') throw DAMAGED;
    const { snapshotId, search, offset, limit } = question;
    const found = VERSION_ITEMS.filter((item) => JSON.stringify(item).includes(search));
    const items = found.slice(offset, offset + limit);
    // The first item is long, so it is cut here and read completely by a separate request.
    const cut = items[0] === VERSION_ITEMS[0] ? [0] : [];
    return { snapshot: version(snapshotId, nowMs, 'd'), total: found.length, offset, items, cut };
  }
  if (question.action === 'item') return { ...VERSION_ITEMS[question.index], expected_outputs: WHOLE };
  if (question.action === 'recreate') return { itemsId: copy(question.name, question.of).itemsId };
  const { from, to, kind, offset } = question;
  const changes = CHANGES.filter((change) => kind === null || change.kind === kind);
  return {
    from: version(from, nowMs, 'd'),
    to: version(to, nowMs, 'd'),
    counts: { same: 346, added: 1, changed: 1, removed: 1 },
    drift: DRIFT.map((each) => ({ ...each, before: [...each.before], after: [...each.after] })),
    ...{ total: changes.length, offset, changes },
  };
}
