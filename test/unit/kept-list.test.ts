import { describe, expect, test } from 'vitest';
import { hasFired } from '../../electron/shared/alert-record.ts';
import type { Freshness } from '../../electron/shared/model.ts';
import { KeptList } from '../../renderer/state/kept-list.svelte.ts';
import { numberedClient } from '../helpers/numbered-client.ts';

const ROWS = ['DEFAULT', 'CRITICAL', null, 'WARNING'].map((severity, position) => ({
  position,
  record: {
    name: `rule ${position}`,
    latest_alert_record_severity: severity,
    severity: severity ?? 'DEFAULT',
  },
}));
const freshness = {
  ...{ totalRows: 4, storedRows: 4, isComplete: true },
  refresh: { phase: 'idle' },
} as Freshness;

async function opened(keeps = hasFired) {
  const list = new KeptList({
    connectionId: 'one',
    viewId: 'view',
    isOnline: () => true,
    keeps,
    client: numberedClient((channel) => {
      const page = { rows: ROWS, matchingRows: ROWS.length };
      return channel === 'library:open-list' ? { state: { listKey: 'key', freshness }, page } : page;
    }).client,
  });
  await list.open({ operation: 'alert-rules.summary', path: {}, query: {} });
  return list;
}
const names = (list: KeptList) =>
  Array.from({ length: list.count }, (_, at) => list.row(at)?.['name'] as string | undefined);

describe('the latest alerts', () => {
  test('are known to be none if every rule is loaded and none fired', async () => {
    expect((await opened(() => false)).isKnownEmpty).toBe(true);
    expect((await opened()).isKnownEmpty).toBe(false);
  });

  test('are of rules that fired: a rule that never did is counted, and shown on demand', async () => {
    const list = await opened();
    expect(names(list)).toEqual(['rule 1', 'rule 3']);
    expect(list.leftOut).toBe(2);
    list.showsAll = true;
    expect(names(list)).toEqual(['rule 0', 'rule 1', 'rule 2', 'rule 3']);
    expect(list.leftOut).toBe(0);
  });
});
