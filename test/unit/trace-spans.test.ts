/**
 * The spans of a trace are read from a list that caches only some records, and are extended as more spans are stored.
 */
import { expect, test } from 'vitest';
import { TraceSpans } from '../../renderer/components/trace/trace-spans.ts';

const query = (id: string) => ({ operation: 'spans.query', path: {}, query: { id } });

/**
 * A list of `total` spans. The first `stored` ones are available. Like the real one, it contains only the rows in view.
 */
class FakeList {
  query = query('one');
  freshness = { oldestMs: 1, storedRows: 0 };
  name = 'a';
  count: number;
  matchingRows: number;
  readonly missing = new Set<number>();
  readonly loads: [number, number][] = [];
  #held = [0, 0];
  constructor(total: number, stored = total) {
    this.count = total;
    this.matchingRows = stored;
    this.freshness = { oldestMs: 1, storedRows: stored };
  }
  row(place: number) {
    const [from = 0, to = 0] = this.#held;
    const isHere = place >= from && place < Math.min(to, this.matchingRows) && !this.missing.has(place);
    return isHere ? { span_id: `${place}`, name: `${this.name}${place}`, input: 'heavy' } : undefined;
  }
  ensure(): void {
    // `load` reads the rows in view.
  }
  async load(from: number, to: number) {
    this.loads.push([from, to]);
    await Promise.resolve();
    this.#held = [from, to];
  }
  store(stored: number) {
    this.matchingRows = stored;
    this.freshness = { ...this.freshness, storedRows: stored };
  }
}

async function followed(list: FakeList) {
  const seen: number[] = [];
  const spans = new TraceSpans(list, () => seen.push(spans.spans.length));
  const follow = async () => {
    spans.follow();
    await new Promise((resolve) => setImmediate(resolve));
  };
  await follow();
  const names = () => spans.spans.map(({ name }) => name);
  return { spans, seen, follow, names };
}

test('the first spans come before the others, each is read once, and no record is kept', async () => {
  const list = new FakeList(5_000);
  const { spans, seen } = await followed(list);
  expect(seen[0]).toBe(100);
  expect(seen.at(-1)).toBe(5_000);
  expect(list.loads.reduce((sum, [from, to]) => sum + to - from, 0)).toBe(5_000);
  expect(spans.spans[4_321]).toEqual({
    ...{ place: 4_321, traceId: '', spanId: '4321', parentId: '', name: 'a4321', type: '', status: '' },
    ...{ startMs: null, duration: null },
    usage: { inputTokens: null, outputTokens: null, tokens: null, costUsd: null },
  });
});

test('waits for spans that are not stored yet, and then reads only these', async () => {
  const list = new FakeList(6_000, 150);
  const { names, follow } = await followed(list);
  expect(names()).toHaveLength(150);
  expect(list.loads.at(-1)?.[1]).toBeLessThan(3_000);
  list.loads.length = 0;
  list.store(6_000);
  await follow();
  expect(names()).toHaveLength(6_000);
  expect(list.loads[0]?.[0]).toBe(150);
});

test('a missing span hides none after it if no more arrive', async () => {
  const list = new FakeList(3_000);
  list.missing.add(50).add(2_500);
  const { names } = await followed(list);
  expect(names()).toHaveLength(2_998);
});

test('reloaded spans replace the old ones once as many are loaded; a smaller number stays smaller', async () => {
  const list = new FakeList(5_000);
  const { spans, names, follow, seen } = await followed(list);
  list.name = 'b';
  list.freshness = { oldestMs: 2, storedRows: 4_000 };
  list.count = list.matchingRows = 4_000;
  seen.length = 0;
  await follow();
  expect(seen.slice(0, -1).every((count) => count === 5_000)).toBe(true);
  expect(names()).toHaveLength(4_000);
  expect(names()[3_999]).toBe('b3999');
  expect(spans.spans.some(({ name }) => name.startsWith('a'))).toBe(false);
});

test('spans of another query are removed at once', async () => {
  const list = new FakeList(500);
  const { names, follow } = await followed(list);
  list.query = query('two');
  list.count = list.matchingRows = 0;
  await follow();
  expect(names()).toEqual([]);
});

test('only the first 50,000 are read', async () => {
  const { names } = await followed(new FakeList(60_000));
  expect(names()).toHaveLength(50_000);
});

test('nothing is read after the view is closed', async () => {
  const list = new FakeList(5_000);
  const spans = new TraceSpans(list, () => spans.stop());
  spans.follow();
  await new Promise((resolve) => setImmediate(resolve));
  expect(list.loads).toEqual([[0, 100]]);
});
