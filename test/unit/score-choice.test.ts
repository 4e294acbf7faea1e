/**
 * The parameters of its tab determine the runs, the score and the items of the Scores view, even if runs were removed
 * or lack the score.
 */
import { describe, expect, test } from 'vitest';
import { NO_FILTER, type RunFilter } from '../../electron/shared/run-comparison.ts';
import type { ScoreRun } from '../../electron/shared/score-model.ts';
import { filterParam } from '../../renderer/lib/comparison-params.ts';
import { paramsOfRun, paramsOfScore, scoreChoice } from '../../renderer/lib/score-choice.ts';

const runOf = (runId: string, createdAtMs: number, scoreNames: string[], evaluator = 'quality', scored = 5) =>
  ({
    ...{ runId, name: `Run ${runId}`, createdAtMs, scoreNames, plan: { evaluator } },
    counts: { items: 9, scored, failed: 0, skipped: 0, unscored: 9 - scored },
  }) as unknown as ScoreRun;
const later = runOf('later', 3, ['clarity', 'tone']);
const earlier = runOf('earlier', 2, ['clarity', 'tone']);
const other = runOf('other', 1, ['words'], 'length');
const runs = [later, earlier, other];
const shown = (params: Record<string, string>, of = runs) => {
  const choice = scoreChoice(of, params);
  if (choice === null) return null;
  const { runs: refs, score: name, ...query } = choice.query;
  const ids = refs.map(({ id }) => id);
  return { ...query, name, after: ids.at(-1), before: ids.at(-2) ?? null, notes: choice.notes };
};

test('the newest run is compared with the one before of the same evaluator', () => {
  expect(shown({})).toMatchObject({ after: 'later', before: 'earlier', name: 'clarity', notes: [] });
  expect(shown({ against: 'none' })).toMatchObject({ after: 'later', before: null, notes: [] });
  expect(shown({ run: 'other' })).toMatchObject({ after: 'other', before: null, notes: [] });
  expect(shown({ scoreName: 'tone' })).toMatchObject({ name: 'tone', notes: [] });
  expect(scoreChoice([], {})).toBeNull();
  expect(shown({}, [runOf('new', 4, [], 'quality', 0), earlier])).toMatchObject({ before: null, notes: [] });
});

test('an earlier run without a common score is skipped', () => {
  const renamed = runOf('renamed', 2, ['words']);
  expect(shown({}, [later, renamed])).toMatchObject({ before: null, notes: [] });
  expect(shown({}, [later, renamed, { ...earlier, createdAtMs: 1 }])).toMatchObject({ before: 'earlier' });
});

describe('says so if it shows something else', () => {
  test.each([
    [
      { run: 'later', scoreName: 'words' },
      { before: 'earlier', name: 'clarity' },
      'The two runs do not both have the score words: clarity is shown.',
    ],
    [
      { run: 'later', against: 'none', scoreName: 'words' },
      { before: null, name: 'clarity' },
      'Run later has no score words: clarity is shown.',
    ],
    [
      { run: 'later', against: 'other' },
      { before: null },
      'Run other and Run later have no score of the same name: Run later is shown alone.',
    ],
    [
      { run: 'later', against: 'gone' },
      { before: null },
      'The run to compare with has no scores any more: Run later is shown alone.',
    ],
    [
      { run: 'gone', against: 'none' },
      { after: 'later' },
      'The selected run was removed: Run later is shown.',
    ],
  ])('%j', (params, query, note) => {
    expect(shown(params)).toMatchObject({ ...query, notes: [note] });
  });
});

test('only a filter that the list offers is active', () => {
  const isActive = (filter: Partial<RunFilter>, params: Record<string, string> = {}) =>
    filterParam(shown({ ...params, scoreFilter: JSON.stringify(filter) })?.filter ?? NO_FILTER) !== '';
  const ofPairs = [
    { change: 'worse' },
    { label: 'yes', labelBefore: 'no' },
    { kind: 'Tone', change: 'worse' },
    { atLeast: 0.1 },
  ] as const;
  const ofBoth = [{ fate: 'failed' }, { label: 'yes' }, { bin: { from: 0, to: 1, isLast: true } }] as const;
  const alone = { against: 'none' };
  expect([...ofPairs, ...ofBoth].every((filter) => isActive(filter))).toBe(true);
  expect(isActive({ fate: 'good' })).toBe(false);
  expect(ofPairs.some((filter) => isActive(filter, alone))).toBe(false);
  expect([...ofBoth, { fate: 'good' } as const].every((filter) => isActive(filter, alone))).toBe(true);
  expect(shown({ scoreFilter: '{' })?.filter).toEqual(NO_FILTER);
});

test('a saved view of an earlier version shows the same items', () => {
  const range = { by: 'range', from: 0, to: 1, isLast: true };
  expect(shown({ scoreShow: 'worse' })?.filter).toEqual({ ...NO_FILTER, change: 'worse' });
  expect(shown({ scoreOnly: JSON.stringify({ by: 'labels', before: 'no', after: 'yes' }) })?.filter).toEqual({
    ...{ ...NO_FILTER, label: 'yes', labelBefore: 'no' },
  });
  expect(shown({ against: 'none', scoreOnly: JSON.stringify(range) })?.filter.bin).toEqual({
    ...{ from: 0, to: 1, isLast: true },
  });
  for (const odd of [{ scoreShow: 'odd' }, { scoreOnly: '{' }, { scoreOnly: '{"by":"odd"}' }])
    expect(shown(odd)?.filter).toEqual(NO_FILTER);
  expect(shown({ scoreShow: 'worse', scoreFilter: '{"change":"better"}' })?.filter.change).toBe('better');
  expect(paramsOfScore('tone')).toMatchObject({ scoreShow: '', scoreOnly: '' });
});

test('the better direction belongs to its score', () => {
  const lower = { scoreBetter: 'lower' };
  expect(shown(lower)?.lowerIsBetter).toBe(true);
  expect(shown({ ...lower, scoreName: 'words' })?.lowerIsBetter).toBe(false);
  expect(paramsOfScore('tone')).toMatchObject({ scoreName: 'tone', scoreBetter: '', scoreFilter: '' });
  expect(paramsOfRun(other, later)).toMatchObject({ run: 'other', scoreBetter: '' });
  expect(paramsOfRun(earlier, later)).not.toHaveProperty('scoreBetter');
});
