/** The stored spans that a dry run reads, and the result beside the draft of a rule. */
import { expect, test } from 'vitest';
import { dryRunRule } from '../../electron/engine/rule-dry-run.ts';
import type { RuleDraft, RuleDryRun } from '../../electron/shared/rule-dry-run.ts';
import { RuleDryRunState } from '../../renderer/state/rule-dry-run.svelte.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

const draft = (changes: Partial<RuleDraft> = {}): RuleDraft => ({
  ...{ applicationId: 'a', filters: null, mappedInputKeys: {}, samplingRate: 1, ...changes },
});
const record = (id: number) => ({ span_id: `s${id}`, trace_id: 't', name: id === 99 ? 'late' : 'early' });

/** Stores lists of one application, given as ids of their spans. */
function stored(...lists: number[][]) {
  const query = (list: number) => ({
    ...{ operation: 'spans.query' as const, path: {}, query: {} },
    body: { application_id: 'a', list },
  });
  const library = {
    storedLists: () => lists.map((_, list) => ({ query: query(list) })),
    readStored: async ({ body }: ReturnType<typeof query>, from: number, count: number) =>
      (lists[body.list] ?? []).slice(from, from + count).map((id) => ({ record: record(id) })),
  };
  return { library, clock: new VirtualClock() } as unknown as Parameters<typeof dryRunRule>[0];
}
const range = (count: number) => Array.from({ length: count }, (_, id) => id);

test('is cut only if there are more spans than it looks at', async () => {
  const exact = await dryRunRule(stored(range(20_000), [1, 2, 3]), draft());
  expect(exact).toMatchObject({ spans: 20_000, isCut: false });
  const more = await dryRunRule(stored(range(20_000), [1, 20_000]), draft());
  expect(more).toMatchObject({ spans: 20_000, isCut: true });
});

test('a field that only a later list has is applied to all spans', async () => {
  const filters = { rules: [{ field: 'name', operator: 'equal', value: 'late' }] };
  const run = await dryRunRule(stored(range(60), [99]), draft({ filters }));
  expect(run).toMatchObject({ spans: 61, matching: 1, ignoredFilters: [] });
});

function trial() {
  const answers: PromiseWithResolvers<RuleDryRun>[] = [];
  const client = {
    invoke: () => {
      const answer = Promise.withResolvers<RuleDryRun>();
      answers.push(answer);
      return answer.promise;
    },
  };
  const state = new RuleDryRunState(
    'c',
    client as unknown as ConstructorParameters<typeof RuleDryRunState>[1],
  );
  const answer = (at: number, matching: number) => answers[at]?.resolve({ matching } as RuleDryRun);
  return { state, answers, answer };
}

test('a draft that changes during a run is tried, and the earlier answer is not shown', async () => {
  const { state, answers, answer } = trial();
  const first = state.run(draft());
  const second = state.run(draft({ samplingRate: 0.5 }));
  expect(answers).toHaveLength(2);
  answer(1, 2);
  await second;
  answer(0, 1);
  await first;
  expect(state.result?.matching).toBe(2);
  expect(state.isRunning).toBe(false);
});

test('a result disappears when its draft changes, and stays while the same draft is tried again', async () => {
  const { state, answer } = trial();
  const first = state.run(draft());
  answer(0, 1);
  await first;
  state.show(draft());
  const again = state.run(draft());
  expect(state.result?.matching).toBe(1);
  state.show(null);
  expect(state.result).toBeNull();
  answer(1, 3);
  await again;
  expect(state.result).toBeNull();
});
