/** The latest alerts by rule: known from an answer of any age, and not from the lack of one. */
import { expect, test } from 'vitest';
import type { Freshness } from '../../electron/shared/model.ts';
import { ListModel } from '../../renderer/state/list-state.svelte.ts';
import { RuleSummaries } from '../../renderer/state/rule-summaries.svelte.ts';
import { numberedClient } from '../helpers/numbered-client.ts';

async function opened(source: 'none' | 'stored', names: readonly string[]): Promise<RuleSummaries> {
  const total = names.length;
  const freshness = {
    ...{ source, totalRows: total, storedRows: total, isComplete: source !== 'none' },
    refresh: { phase: source === 'none' ? 'failed' : 'idle', error: { code: 'OFFLINE' } },
  } as unknown as Freshness;
  const rows = names.map((name, position) => ({ position, record: { alert_rule_id: name } }));
  const page = { rows, matchingRows: total };
  const list = new ListModel({
    ...{ connectionId: 'one', viewId: 'view', isOnline: () => true },
    client: numberedClient((channel) =>
      channel === 'library:open-list' ? { state: { listKey: 'key', freshness }, page } : page,
    ).client,
  });
  const summaries = new RuleSummaries(list);
  await summaries.open({ startMs: 0, endMs: 604_800_000 });
  return summaries;
}

test('rules that fired are known from a stored answer, also an empty one', async () => {
  expect((await opened('stored', ['a', 'b'])).hasAnswer).toBe(true);
  expect((await opened('stored', [])).hasAnswer).toBe(true);
});

test('nothing is known while no answer is stored', async () => {
  expect((await opened('none', [])).hasAnswer).toBe(false);
});
