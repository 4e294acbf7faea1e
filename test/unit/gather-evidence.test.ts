/** A row count is evidence only if no other rows of the upload were sent while it was read. */
import { expect, test } from 'vitest';
import type { StoredBatch } from '../../electron/db/upload-store.ts';
import { AppError } from '../../electron/shared/errors.ts';
import type { BatchEvidence } from '../../electron/shared/upload-model.ts';
import { accessOf, gatherEvidence } from '../../electron/uploads/gather-evidence.ts';
import type { UploadLedger } from '../../electron/uploads/upload-ledger.ts';

type Verdict = 'stored' | 'not-stored';

interface Lost {
  rows: number;
  /** The verdict of an earlier count. */
  verdict: Verdict | null;
  facts?: string[];
}

interface Counting {
  lost: readonly Lost[];
  /** Row counts of the readings in order. The last one repeats. The service answers null with an error. */
  counts: (number | null)[];
  sendingBatches?: number;
  sentAtMs?: number;
  whileAsked?: (tallies: { rows: number }) => void;
}

/** Returns the evidence about each batch without an answer. The environment had 100 rows before. */
async function evidenceAfter(counting: Counting): Promise<BatchEvidence[]> {
  const saved = await batchesAfter(counting);
  return saved.flatMap(({ evidence }) => (evidence === null ? [] : [evidence]));
}

async function batchesAfter({
  lost,
  counts,
  sendingBatches = 0,
  sentAtMs = 0,
  whileAsked = () => undefined,
}: Counting): Promise<StoredBatch[]> {
  const saved = new Map(
    lost.map(({ rows, verdict, facts = [] }, batch) => {
      const evidence = verdict === null ? null : { verdict, facts, atMs: 0 };
      const stored = { batch, rows, state: 'unknown', sentAtMs, answeredAtMs: sentAtMs, evidence };
      return [batch, stored as unknown as StoredBatch];
    }),
  );
  const acknowledged = { batches: 0, rows: 0 };
  const plan = { modelId: 'm', envType: 'PRODUCTION', envName: null };
  const ledger = {
    job: { id: 'job', plan, baseline: { rowCount: 100, reason: '', atMs: 0 } },
    core: { tallies: { acknowledged, sending: { batches: sendingBatches, rows: 0 } } },
    apply: (_events: unknown, _changes: unknown, also: () => void) => also(),
  };
  const batches = {
    list: () => [...saved.values()],
    get: (_id: string, batch: number) => saved.get(batch),
    save: (_id: string, batch: StoredBatch) => saved.set(batch.batch, batch),
    latestAcknowledgedMs: () => null,
  };
  const deps = {
    store: { batches, jobs: { rowsByOthers: () => ({ acknowledged: 0, uncertain: 0 }) } },
    client: {
      list: async () => {
        whileAsked(acknowledged);
        const count = counts.length > 1 ? counts.shift() : counts[0];
        if (count === null) throw new AppError('SERVICE_FAILED', 'Answered with 500.', { status: 500 });
        return { value: { items: [{ type: 'PRODUCTION', row_count: count }], itemCount: 1, total: 1 } };
      },
    },
    clock: { nowMs: () => 1_000_000 },
    options: { evidenceSettleMs: 0, countPauseMs: 0 },
    closing: new AbortController().signal,
  };
  await gatherEvidence(
    deps as unknown as Parameters<typeof gatherEvidence>[0],
    accessOf(ledger as unknown as UploadLedger),
  );
  return [...saved.values()];
}

const verdictsOf = (evidence: readonly BatchEvidence[]) => evidence.map(({ verdict }) => verdict);

test('a count while other batches are in flight or were acknowledged proves nothing', async () => {
  const lost = [{ rows: 10, verdict: null }];
  expect(verdictsOf(await evidenceAfter({ lost, counts: [110] }))).toEqual(['stored']);
  const other = 'other batches of this upload are on their way';
  const whileAsked = (acknowledged: { rows: number }) => {
    acknowledged.rows = 10;
  };
  for (const evidence of [
    await evidenceAfter({ lost, counts: [110], sendingBatches: 1 }),
    await evidenceAfter({ lost, counts: [110], whileAsked }),
  ])
    expect(evidence).toMatchObject([{ verdict: 'undecided', facts: [expect.stringContaining(other)] }]);
});

test('the time of a batch that was sent while the clock was ahead becomes that of the count', async () => {
  const counting = { lost: [{ rows: 10, verdict: null }], counts: [100] };
  const times = async (sentAtMs: number) =>
    (await batchesAfter({ ...counting, sentAtMs })).map((batch) => [batch.sentAtMs, batch.answeredAtMs]);
  expect(await times(9_000_000_000)).toEqual([[1_000_000, 1_000_000]]);
  expect(await times(5_000)).toEqual([[5_000, 5_000]]);
});

/** Batches about which an earlier count decided. */
const KNOWN: readonly Lost[] = [
  { rows: 10, verdict: 'stored' },
  { rows: 7, verdict: 'not-stored' },
  { rows: 5, verdict: 'not-stored' },
];

test('a count that fails, or is of another batch, keeps the verdicts of an earlier count', async () => {
  const before = ['stored', 'not-stored', 'not-stored'];
  const evidence = await evidenceAfter({ lost: KNOWN, counts: [null] });
  expect(verdictsOf(evidence)).toEqual(before);
  for (const { facts } of evidence)
    expect(facts).toEqual([
      expect.stringContaining('A later count says nothing about it. There is no row count'),
    ]);
  expect(verdictsOf(await evidenceAfter({ lost: KNOWN, counts: [110], sendingBatches: 1 }))).toEqual(before);
});

test('only the latest count without a verdict is reported beside the facts of the verdict', async () => {
  const facts = ['40 rows more.', 'A later count says nothing about it. Too early.'];
  const lost: Lost[] = [{ rows: 10, verdict: 'stored', facts }];
  const [evidence] = await evidenceAfter({ lost, counts: [110], sendingBatches: 1 });
  expect(evidence?.facts).toEqual(['40 rows more.', expect.stringContaining('on their way')]);
});

test('rows that arrive while they are counted leave no “not stored” for a batch of as many rows', async () => {
  const evidence = await evidenceAfter({ lost: KNOWN, counts: [110, 117] });
  expect(verdictsOf(evidence)).toEqual(['stored', 'undecided', 'not-stored']);
  expect(evidence[1]?.facts.join(' ')).toContain('or rows of unknown batches arrived only now');
  expect(verdictsOf(await evidenceAfter({ lost: KNOWN, counts: [110, 122] }))).toEqual([
    ...['stored', 'undecided', 'undecided'],
  ]);
});

test.each([
  [110, 113],
  [113, 110],
])('a count from %i to %i rows, which no unknown batch explains, leaves no verdict', async (...counts) => {
  const evidence = await evidenceAfter({ lost: KNOWN, counts });
  expect(verdictsOf(evidence)).toEqual(['undecided', 'undecided', 'undecided']);
  for (const { facts } of evidence) expect(facts.join(' ')).toContain('others write to the environment.');
});
