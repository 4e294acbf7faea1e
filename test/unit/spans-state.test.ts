/** State of the views of spans: the basket, windows of selected spans, and the mapping while it is edited. */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { BuildRow, DatasetBuild, Mapping, SpanRef } from '../../electron/shared/dataset-model.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { EventSequence } from '../../electron/shared/event-sequence.ts';
import { buildAsJob } from '../../electron/shared/job-kinds/build.ts';
import { Basket } from '../../renderer/state/basket.svelte.ts';
import { BuildFlow } from '../../renderer/state/build-flow.svelte.ts';
import { BuildRows } from '../../renderer/state/build-rows.svelte.ts';
import { jobs } from '../../renderer/state/jobs.svelte.ts';
import { LatestRequest } from '../../renderer/state/newest.ts';

const CONNECTION = '6a1f0d3e-2b64-4f0e-9a53-0d8f6f3f1c11';
const APPLICATION = { id: '6a1f0d3e-2b64-4f0e-9a53-0d8f6f3f1c12', name: 'Support assistant' };
const QUERY = { operation: 'spans.query', path: {}, query: {} };

const span = (n: number) => ({ trace_id: `t${Math.floor(n / 2)}`, span_id: `s${n}` });
const rows = (...numbers: number[]) => numbers.map((n) => ({ row: span(n), position: n }));

const keys = (list: readonly SpanRef[]) => list.map((ref) => `${ref.trace_id}/${ref.span_id}`);

interface Argument {
  action: string;
  spans: (SpanRef & { position: number })[];
  change: { type: 'unpick'; spans: SpanRef[] } | { type: 'settings'; patch: { mapping: Mapping } };
}

/** A fake main process with one basket. */
class FakeMain {
  readonly calls: [channel: string, argument: Argument][] = [];
  readonly picked = new Set<string>();
  /** Positions of rows that have moved in the meantime. */
  readonly gone = new Set<number>();
  /** Channels that fail. */
  readonly failing = new Set<string>();
  mapping: Mapping = [];
  #changes = 0;

  build(): DatasetBuild {
    this.#changes += 1;
    const named = { connectionId: CONNECTION, buildId: 'b', applicationId: APPLICATION.id };
    const counts = { picked: this.picked.size };
    const state = { state: 'editing', batches: {}, changedAtMs: this.#changes };
    const build = { ...named, ...state, counts, mapping: this.mapping, startAtMs: null };
    return build as unknown as DatasetBuild;
  }

  answer(channel: string, argument: Argument): unknown {
    switch (channel) {
      case 'jobs:list':
        return { jobs: [], total: 0, failures: [] };
      case 'jobs:create':
        return buildAsJob(this.build(), () => []);
      case 'builds:pick-spans': {
        const missing = argument.spans.filter(({ position }) => this.gone.has(position));
        const here = argument.spans.filter(({ position }) => !this.gone.has(position));
        for (const key of keys(here)) this.picked.add(key);
        return { build: this.build(), added: here.length, known: 0, missing };
      }
      case 'builds:read':
        return this.#read(argument);
      case 'jobs:change':
        if (argument.change.type === 'unpick') {
          for (const key of keys(argument.change.spans)) this.picked.delete(key);
        } else this.mapping = argument.change.patch.mapping;
        return buildAsJob(this.build(), () => []);
      default:
        return this.build();
    }
  }

  #read({ action, spans }: Argument): unknown {
    switch (action) {
      case 'find-picked':
        return keys(spans).map((key) => (this.picked.has(key) ? { position: 0, state: 'unsent' } : null));
      case 'check-mapping':
        return {
          problems: [],
          coverage: [],
          spansWithMissing: 0,
          spansWithoutInputs: 0,
          unfilled: [],
          unseen: [],
        };
      default:
        return { rows: [], matchingRows: 0 };
    }
  }

  readonly #order = new EventSequence();

  invoke = async (channel: string, argument: unknown): Promise<unknown> => {
    this.calls.push([channel, argument as Argument]);
    await Promise.resolve();
    if (this.failing.has(channel)) {
      return { ok: false, error: new AppError('CONFLICT', 'This build is being worked on.').toWire() };
    }
    const { value, seq } = await this.#order.answer(() => this.answer(channel, argument as Argument));
    return { ok: true, seq, value };
  };

  channels(name: string): Argument[] {
    return this.calls.filter(([channel]) => channel === name).map(([, argument]) => argument);
  }
}

let main: FakeMain;
beforeEach(async () => {
  main = new FakeMain();
  vi.stubGlobal('window', { spandeck: { invoke: main.invoke, on: () => () => undefined } });
  jobs.connectionId = null;
  await jobs.watch(CONNECTION);
});

const makeBasket = () =>
  new Basket(APPLICATION, { read: () => null, write: () => undefined, run: (work) => work() });

describe('a basket of spans', () => {
  test('is created by the first selection, once for two concurrent selections', async () => {
    const basket = makeBasket();
    expect(basket.count).toBe(0);
    await Promise.all([basket.toggle(QUERY, rows(0, 1)), basket.toggle(QUERY, rows(5))]);
    expect(main.channels('jobs:create')).toHaveLength(1);
    expect(basket.count).toBe(3);
    expect([0, 1, 2, 5].map((n) => basket.isPicked(span(n)))).toEqual([true, true, false, true]);
  });

  test('with some rows selected adds the rest, and removes all of them when pressed again', async () => {
    const basket = makeBasket();
    await basket.toggle(QUERY, rows(1));
    await basket.toggle(QUERY, rows(0, 1, 2));
    expect(
      main
        .channels('builds:pick-spans')
        .at(-1)
        ?.spans.map(({ position }) => position),
    ).toEqual([0, 2]);
    await basket.toggle(QUERY, rows(0, 1, 2));
    expect(basket.count).toBe(0);
    expect(basket.isPicked(span(1))).toBe(false);
  });

  test('reports how many rows had moved, and does not tick them', async () => {
    const basket = makeBasket();
    main.gone.add(4);
    const result = await basket.toggle(QUERY, [...rows(3, 4), { row: { name: 'no id' }, position: 9 }]);
    expect(result).toEqual({ added: 1, missing: 2 });
    expect(basket.isPicked(span(4))).toBe(false);
  });

  test('a selection that main rejects leaves no tick', async () => {
    const basket = makeBasket();
    await basket.toggle(QUERY, rows(0));
    main.failing.add('builds:pick-spans');
    await expect(basket.toggle(QUERY, rows(1))).rejects.toThrow('being worked on');
    expect(basket.isPicked(span(1))).toBe(false);
    expect(basket.isPicked(span(0))).toBe(true);
  });

  test('knows for rows that come into view whether they are selected', async () => {
    const basket = makeBasket();
    await basket.toggle(QUERY, rows(0));
    main.picked.add('t3/s7');
    await basket.see([span(6), span(7)]);
    expect([6, 7].map((n) => basket.isPicked(span(n)))).toEqual([false, true]);
  });

  test('caches the marks of the rows seen last, and asks about an older one when it is drawn again', async () => {
    const basket = makeBasket();
    await basket.toggle(QUERY, rows(0));
    for (const n of [1, 2_000]) main.picked.add(keys([span(n)])[0] ?? '');
    await basket.see(Array.from({ length: 1_000 }, (_, n) => span(n)));
    expect(basket.isPicked(span(1))).toBe(true);
    await basket.see(Array.from({ length: 1_000 }, (_, n) => span(1_500 + n)));
    const before = main.channels('builds:read').length;
    expect([0, 1, 2].map((n) => basket.isPicked(span(n)))).toEqual([false, false, false]);
    await expect.poll(() => basket.isPicked(span(1))).toBe(true);
    expect([0, 1, 2, 2_000].map((n) => basket.isPicked(span(n)))).toEqual([true, true, false, true]);
    expect(main.channels('builds:read')).toHaveLength(before + 1);
  });

  test('is used again if a new one cannot be begun with its spans', async () => {
    const written: string[] = [];
    const reported: unknown[] = [];
    const memory = {
      read: () => 'earlier',
      write: (buildId: string) => written.push(buildId),
      run: (work: () => Promise<void>) => work().catch((thrown: unknown) => reported.push(thrown)),
    };
    const basket = new Basket(APPLICATION, memory);
    const listed = (n: number) => [{ query: QUERY, spans: [{ ...span(n), position: n, start_time: null }] }];
    const used = () => ({ buildId: basket.buildId, written: written.at(-1) });
    const deleted = () => main.channels('jobs:forget').length;
    const isBefore = { buildId: 'earlier', written: 'earlier' };
    const fails = () => Promise.reject(new AppError('CONFLICT', 'The mapping was not set.'));
    await expect(basket.beginWith(() => basket.pick(listed(0)), fails)).rejects.toThrow(
      'The mapping was not set.',
    );
    expect([used(), deleted()]).toEqual([isBefore, 1]);
    main.gone.add(4);
    await expect(
      basket.beginWith(
        () => basket.pick(listed(4)),
        async () => undefined,
      ),
    ).rejects.toThrow('moved in their list');
    expect([used(), deleted()]).toEqual([isBefore, 2]);
    // The first failure is stated even if the new basket cannot be deleted, which is reported separately.
    main.failing.add('jobs:forget');
    await expect(basket.beginWith(() => basket.pick(listed(0)), fails)).rejects.toThrow(
      'The mapping was not set.',
    );
    expect([used(), reported.length]).toEqual([isBefore, 1]);
    await basket.beginWith(
      () => basket.pick(listed(1)),
      async () => undefined,
    );
    expect(used()).toEqual({ buildId: 'b', written: 'b' });
  });

  test('many rows are sent in calls of a thousand', async () => {
    const basket = makeBasket();
    await basket.toggle(QUERY, rows(...Array.from({ length: 2_500 }, (_, n) => n)));
    expect(main.channels('builds:pick-spans').map(({ spans }) => spans.length)).toEqual([1_000, 1_000, 500]);
  });
});

describe('windows of selected spans', () => {
  const page = (offset: number, count: number, total: number) => ({
    rows: Array.from({ length: count }, (_, at) => ({ position: offset + at }) as BuildRow),
    matchingRows: total,
  });

  test('an answer with fewer rows than requested is continued from the row after it', async () => {
    const asked: [number, number][] = [];
    const list = new BuildRows(async (offset, limit) => {
      asked.push([offset, limit]);
      return page(offset, Math.min(limit, 20), 500);
    });
    list.ensure(0, 50);
    await expect.poll(() => list.row(49)?.['position']).toBe(49);
    expect(asked.map(([offset]) => offset)).toEqual([0, 20, 40]);
    await list.load(100, 130);
    expect(list.row(129)?.['position']).toBe(129);
  });

  test('rows stay until they were read again; another query removes them', async () => {
    let name = 'before';
    const list = new BuildRows(async (offset, limit) => {
      const answer = page(offset, limit, 30);
      return { ...answer, rows: answer.rows.map((row) => ({ ...row, name })) };
    });
    list.ensure(0, 30);
    await expect.poll(() => list.row(29)?.['name']).toBe('before');
    name = 'after';
    list.reload();
    expect(list.row(3)?.['name']).toBe('before');
    await expect.poll(() => list.row(3)?.['name']).toBe('after');
    list.reload({ isOther: true });
    expect(list.total).toBeNull();
    expect(list.row(3)).toBeUndefined();
  });

  test('a failure is shown and not retried endlessly', async () => {
    let asked = 0;
    const list = new BuildRows(() => {
      asked += 1;
      return Promise.reject(new AppError('STORE_FAILED', 'The store did not answer.'));
    });
    list.ensure(0, 30);
    await expect.poll(() => list.error?.code).toBe('STORE_FAILED');
    expect(asked).toBe(1);
  });
});

describe('a mapping during edits', () => {
  const entry = (field: string): Mapping => [{ bucket: 'inputs', field, key: 'user.text' }];

  async function open(): Promise<BuildFlow> {
    jobs.takeBuild({ value: main.build(), seq: 1 });
    const flow = new BuildFlow(CONNECTION, 'b');
    flow.adopt();
    return flow;
  }

  test('is saved at once; changes made meanwhile are saved together', async () => {
    const flow = await open();
    for (const field of ['q', 'qu', 'que', 'quest', 'question']) flow.edit(entry(field), 'name');
    await expect.poll(() => main.mapping).toEqual(entry('question'));
    expect(main.channels('jobs:change').length).toBeLessThan(5);
    expect(flow.mapping).toEqual(entry('question'));
  });

  test('typing one name is one undo step', async () => {
    const flow = await open();
    flow.edit(entry('a'));
    flow.edit(entry('ab'), 'name');
    flow.edit(entry('abc'), 'name');
    flow.undo();
    expect(flow.mapping).toEqual(entry('a'));
    flow.undo();
    expect(flow.mapping).toEqual([]);
    expect(flow.canUndo).toBe(false);
    flow.redo();
    flow.redo();
    expect(flow.mapping).toEqual(entry('abc'));
    expect(flow.canRedo).toBe(false);
  });

  test('that could not be saved stays and says so; the next try saves it', async () => {
    const flow = await open();
    main.failing.add('jobs:change');
    flow.edit(entry('question'));
    await expect.poll(() => flow.saveError?.code).toBe('CONFLICT');
    flow.adopt();
    expect(flow.mapping).toEqual(entry('question'));
    main.failing.clear();
    await flow.save();
    expect(flow.saveError).toBeNull();
    expect(main.mapping).toEqual(entry('question'));
  });
});

test('excludes every item of a large selection, however many there are', async () => {
  jobs.takeBuild({ value: main.build(), seq: 1 });
  const flow = new BuildFlow(CONNECTION, 'b');
  const changed: number[] = [];
  flow.exclude = (positions, isExcluded) => {
    expect(isExcluded).toBe(true);
    changed.push(...positions);
    return Promise.resolve();
  };
  await flow.toggle(
    (async function* () {
      for (let position = 0; position < 30_000; position += 1)
        yield { position, state: position === 7 ? 'added' : 'unsent' };
    })(),
  );
  expect(changed.length).toBe(29_999);
  expect(changed).not.toContain(7);
});

test('of late answers only the answer to the latest request counts', async () => {
  const latest = new LatestRequest();
  const answers: string[] = [];
  const { promise, resolve } = Promise.withResolvers<string>();
  const slow = latest.run(
    () => promise,
    (answer) => answers.push(answer),
    () => answers.push('failed'),
  );
  await latest.run(
    () => Promise.resolve('second'),
    (answer) => answers.push(answer),
    () => answers.push('failed'),
  );
  resolve('first');
  await slow;
  expect(answers).toEqual(['second']);
});
