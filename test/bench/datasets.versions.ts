/**
 * Versions of a dataset: the disk space of many versions, the time to compare two, and how many items are paired that
 * were created again with another text. `BENCH_ITEMS` and `BENCH_VERSIONS` reduce the size.
 */
import { openSnapshotStore } from '../../electron/db/snapshot-store.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { type BenchResult, result } from '../helpers/bench-result.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const ITEMS = Number(process.env['BENCH_ITEMS'] ?? 100_000);
const VERSIONS = Number(process.env['BENCH_VERSIONS'] ?? 100);
const CHANGED_SHARE = 0.01;
const PLANTED = 1_000;
const WORDS =
  'refund order parcel late voucher card address invoice return damaged colour size missing agent reply policy'.split(
    ' ',
  );

/** A text that is always the same for a number. */
function textOf(seed: number, words: number): string {
  let state = (seed * 2_654_435_761) | 1;
  return Array.from({ length: words }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return WORDS[(state >>> 0) % WORDS.length];
  }).join(' ');
}

interface Item {
  id: string;
  /** Seed for the words of the texts. */
  seed: number;
  question: number;
}

const listed = ({ id, seed, question }: Item) => ({
  identity: id,
  json: JSON.stringify({
    ...{ id, created_at: '2026-03-01T10:00:00Z', updated_at: '2026-03-01T10:00:00Z' },
    inputs: { question: `${textOf(question, 30)} ${question}` },
    expected_outputs: { answer: textOf(seed, 90) },
    metadata: { intent: WORDS[seed % WORDS.length], number: seed },
  }),
});

const opened = (folder: DataFolder) =>
  openSnapshotStore({ file: folder.file('snapshots.db'), clock: systemClock, logger: silentLogger });

function room(): BenchResult[] {
  using folder = new DataFolder();
  const store = opened(folder);
  let items = Array.from({ length: ITEMS }, (_, at): Item => ({ id: `i${at}`, seed: at, question: at }));
  const take = (atMs: number) => {
    function* all() {
      for (const item of items) yield listed(item);
    }
    return store.take('d', all(), items.length, atMs)?.snapshotId ?? 0;
  };
  const first = take(0);
  const oneBytes = store.list('d').fileBytes;
  const ids = [first];
  const times: number[] = [];
  for (let version = 1; version < VERSIONS; version += 1) {
    const changed = Math.floor(ITEMS * CHANGED_SHARE);
    items = items.map((item, at) =>
      (at * 7_919 + version * 104_729) % ITEMS < changed ? { ...item, seed: item.seed + ITEMS } : item,
    );
    const cpu = process.cpuUsage();
    ids.push(take(version));
    const { user, system } = process.cpuUsage(cpu);
    times.push((user + system) / 1_000);
  }
  const compare = (from: number, to: number) => {
    const startedAt = performance.now();
    const cpu = process.cpuUsage();
    store.diff({ action: 'diff', from, to, kind: null, offset: 0, limit: 50 });
    const { user, system } = process.cpuUsage(cpu);
    return { ms: performance.now() - startedAt, cpuMs: (user + system) / 1_000 };
  };
  const pairs = [
    [0, 1],
    [0, VERSIONS - 1],
    [VERSIONS >> 1, VERSIONS - 1],
    [VERSIONS - 2, VERSIONS - 1],
  ];
  const diffs = pairs.map(([from = 0, to = 0]) => compare(ids[from] ?? 0, ids[to] ?? 0));
  const slowest = diffs.reduce((most, each) => (each.cpuMs > most.cpuMs ? each : most));
  const { fileBytes } = store.list('d');
  store.close();
  const on = `${VERSIONS} of ${ITEMS.toLocaleString('en-US')} items, 1 % changed each`;
  return [
    result(
      'room of all versions',
      fileBytes / oneBytes,
      'times one',
      2.5,
      `less is better; ${on}; one ${(oneBytes / 1e6).toFixed(0)} MB`,
    ),
    result(
      'difference of two, first screen',
      slowest.ms,
      'ms',
      200,
      `less is better; ${slowest.cpuMs.toFixed(0)} ms on the processor; the slowest of ${pairs.length}`,
    ),
    result(
      'taking one',
      times.reduce((sum, each) => sum + each, 0) / Math.max(1, times.length) / 1_000,
      's',
      2,
      `less is better; on the processor, in its thread; with making its texts`,
    ),
  ];
}

/**
 * Items that were created again with a new id, another answer and a few other words in the question, among unchanged
 * items.
 */
function pairing(): BenchResult[] {
  using folder = new DataFolder();
  const store = opened(folder);
  const others = Array.from({ length: 10 * PLANTED }, (_, at) =>
    listed({ id: `i${at}`, seed: at, question: at }),
  );
  const edited = (at: number) => {
    const { json } = listed({ id: `n${at}`, seed: at + 5_000_000, question: at });
    return {
      identity: `n${at}`,
      json: at % 2 === 0 ? json : json.replace(/"question":"(\w+) (\w+)/, '"question":"please $2'),
    };
  };
  const before = store.take('d', others, others.length, 0)?.snapshotId ?? 0;
  const after = others.map((item, at) => (at % 10 === 0 ? edited(at) : item));
  const to = store.take('d', after, after.length, 1)?.snapshotId ?? 0;
  let [right, wrong] = [0, 0];
  const { counts } = store.diff({ action: 'diff', from: before, to, kind: null, offset: 0, limit: 1 });
  for (let offset = 0; offset < counts.changed; offset += 200) {
    const page = store.diff({ action: 'diff', from: before, to, kind: 'changed', offset, limit: 200 });
    for (const [index, { itemId, by }] of page.changes.entries()) {
      const { changes } = store.compare({
        action: 'compare',
        from: before,
        to,
        kind: 'changed',
        index: offset + index,
      });
      const number = changes.find(({ path }) => path === 'metadata.number');
      const old = number?.pieces
        .filter(({ kind }) => kind !== 'added')
        .map(({ text }) => text)
        .join('');
      if (old === itemId.slice(1)) right += 1;
      else if (by === 'id' || by === 'content') wrong += 1;
    }
  }
  store.close();
  return [
    result(
      'items created again that are not paired',
      100 * (1 - right / PLANTED),
      '%',
      5,
      `less is better; of ${PLANTED} among ${others.length}`,
    ),
    result('wrong pairs called certain', wrong, 'pairs', 0, 'none is the limit'),
  ];
}

/** The differing words of two long texts. */
function longTexts(): BenchResult[] {
  using folder = new DataFolder();
  const store = opened(folder);
  const long = textOf(1, 160_000);
  const one = (answer: string) => [
    { identity: 'a', json: JSON.stringify({ id: 'a', inputs: { q: 'x' }, expected_outputs: { answer } }) },
  ];
  const from = store.take('d', one(long), 1, 0)?.snapshotId ?? 0;
  const to =
    store.take('d', one(`${long.slice(0, 400_000)} 89 € ${long.slice(400_020)}`), 1, 1)?.snapshotId ?? 0;
  const startedAt = performance.now();
  const { changes } = store.compare({ action: 'compare', from, to, kind: null, index: 0 });
  const ms = performance.now() - startedAt;
  store.close();
  if (changes.length !== 1) throw new Error(`Expected one changed field, got ${changes.length}.`);
  return [result('words of two texts of 1 MB', ms, 'ms', 300, 'less is better; no limit on the length')];
}

export async function run(): Promise<BenchResult[]> {
  return [...pairing(), ...longTexts(), ...room()];
}
