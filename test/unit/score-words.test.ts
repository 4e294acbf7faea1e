/** Texts of the score views about evaluators, items and results, and descriptions of builds. */
import { describe, expect, test } from 'vitest';
import {
  agreementText,
  clusterText,
  differenceText,
  figureText,
  intervalText,
  rangeText,
  ratesText,
  shareText,
  verdictSentence,
  verdictWords,
} from '../../electron/shared/figure-words.ts';
import type { PickSource } from '../../electron/shared/pick-source.ts';
import type { ScoreFigures, ScoreVerdict } from '../../electron/shared/score-comparison.ts';
import type { ScoreInput, ScoreItemState } from '../../electron/shared/score-model.ts';
import { freeRunName, usualRunName } from '../../electron/shared/score-names.ts';
import { countSum, haltedText, progressSentence, targetText } from '../../renderer/lib/build-words.ts';
import { equation } from '../../renderer/lib/count-words.ts';
import {
  fieldChoices,
  inputsOf,
  inspectScores,
  kindColumns,
  labelSquare,
  NOTHING,
  runCounts,
  runSum,
  scoreColumns,
  suggestField,
  TEXT,
  toInputs,
} from '../../renderer/lib/score-words.ts';

const choices = fieldChoices(
  new Map([
    ['inputs', ['question', 'context']],
    ['expected_outputs', ['answer', 'intent']],
    ['metadata', ['category']],
  ]),
);
const choiceOf = (title: string) => choices.find((choice) => choice.title === title)?.value ?? 'none';

describe('inputs of an evaluator', () => {
  test('are its own, or the default ones', () => {
    expect(inputsOf({ inputs: ['text'] })).toEqual(['text']);
    expect(inputsOf({ name: 'unknown', inputs: 'text' })).toEqual(['prompt', 'response', 'context']);
    expect(inputsOf(null)).toEqual(['prompt', 'response', 'context']);
  });

  test('proposes fields whose names match an input, and guesses nothing without a match', () => {
    expect(suggestField('prompt', choices)).toBe(choiceOf('Inputs: question'));
    expect(suggestField('response', choices)).toBe(choiceOf('Expected outputs: answer'));
    expect(suggestField('context', choices)).toBe(choiceOf('Inputs: context'));
    expect(suggestField('category', choices)).toBe(choiceOf('Metadata: category'));
    expect(suggestField('retrieved_images', choices)).toBe(NOTHING);
    expect(suggestField('prompt', [])).toBe(NOTHING);
  });

  test('an input without a source is not sent; a text is the same for all', () => {
    const inputs = toInputs([
      { input: 'prompt', from: choiceOf('Inputs: question'), text: '' },
      { input: 'response', from: TEXT, text: 'yes' },
      { input: 'context', from: NOTHING, text: 'left from before' },
      { input: '  ', from: TEXT, text: 'without a name' },
    ]);
    expect(inputs).toEqual([
      { input: 'prompt', from: { kind: 'field', bucket: 'inputs', field: 'question' } },
      { input: 'response', from: { kind: 'text', text: 'yes' } },
    ]);
  });
});

describe('results beside items', () => {
  const run = (runId: string, evaluator: string, scoreNames: string[]) => ({
    runId,
    connectionId: 'c',
    name: `${evaluator} ${runId}`,
    plan: { datasetId: 'd', datasetName: 'D', evaluator, parameters: {}, inputs: [] },
    state: 'done' as const,
    reason: '',
    error: null,
    counts: { items: 2, scored: 1, skipped: 0, failed: 1, unscored: 0 },
    scoreNames,
    expectedItems: null,
    startAtMs: null,
    lateStart: null,
    createdAtMs: 0,
    endedAtMs: 0,
  });
  const result = (itemId: string, state: ScoreItemState, value: number | null, label: string | null) => ({
    itemId,
    runId: 'r2',
    evaluator: 'sentiment',
    state,
    scores: state === 'scored' ? [{ name: 'sentiment', value, label, reasoning: 'three kind words' }] : [],
    error: null,
    atMs: 5,
  });

  test('one column for each score of the latest run of an evaluator, labels before numbers', () => {
    const results = new Map([
      ['a', [result('a', 'scored', 0.5, 'positive')]],
      ['b', [result('b', 'failed', null, null)]],
      ['c', [result('c', 'unscored', null, null)]],
      ['d', [result('d', 'scored', 0.25, null)]],
      ['f', [result('f', 'skipped', null, null)]],
    ]);
    const runs = [run('r2', 'sentiment', ['sentiment']), run('r1', 'sentiment', ['old'])];
    const columns = scoreColumns(
      runs,
      (id) => results.get(id) ?? [],
      () => '14:02',
    );
    expect(columns.map(({ group, title }) => [group, title])).toEqual([
      ['sentiment · latest of 2 runs', 'sentiment'],
    ]);
    const shown = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => columns[0]?.get({ id }));
    expect(shown).toEqual(['positive', 'failed', undefined, 0.25, undefined, 'skipped']);
  });

  test('the inspector names evaluator, time and reason', () => {
    const results = [result('a', 'scored', 0.5, null), result('a', 'unscored', null, null)];
    expect(inspectScores(results, (ms) => `at ${ms}`)).toEqual([
      { evaluator: 'sentiment', scored: 'at 5', sentiment: { value: 0.5, reasoning: 'three kind words' } },
    ]);
    expect(inspectScores([result('a', 'failed', null, null)], String)).toEqual([
      { evaluator: 'sentiment', scored: '5', failed: 'no reason given' },
    ]);
  });
});

describe('a score run in words', () => {
  const field = (input: string, name: string) => ({
    input,
    from: { kind: 'field' as const, bucket: 'inputs' as const, field: name },
  });
  const plan = (inputs: ScoreInput[]) => ({
    ...{ datasetId: 'd', datasetName: 'D', evaluator: 'answer_relevance', parameters: {}, inputs },
  });

  test('distinguishes scored, skipped and failed items', () => {
    const counts = { items: 1_252, scored: 641, skipped: 609, failed: 2, unscored: 0 };
    const ended = { counts, plan: plan([field('response', 'model_answer')]) };
    expect(runCounts(ended)).toBe('641 scored · 609 without the field · 2 failed');
    expect(equation(runSum(ended))).toBe('1,252 items = 641 scored + 609 without the field + 2 failed');
    const open = { ...ended, counts: { ...counts, items: 1_255, unscored: 3 } };
    expect(runCounts(open)).toBe('641 of 1,255 items scored · 609 without the field · 2 failed');
  });

  test('is named by its evaluator and the judged field, with a number if the name is taken', () => {
    const both = plan([field('prompt', 'question'), field('response', 'model_answer')]);
    expect(usualRunName(both)).toBe('answer_relevance · model_answer');
    expect(usualRunName(plan([field('prompt', 'question')]))).toBe('answer_relevance · question');
    expect(usualRunName(plan([{ input: 'text', from: { kind: 'text', text: 'x' } }]))).toBe(
      'answer_relevance',
    );
    expect(freeRunName('a', ['b'])).toBe('a');
    expect(freeRunName('a', ['a', 'a (2)'])).toBe('a (3)');
    expect(freeRunName('x'.repeat(200), ['x'.repeat(200)])).toHaveLength(200);
  });
});

describe('a build in words', () => {
  const counts = {
    picked: 452,
    excluded: 1,
    added: 2,
    unsent: 40,
    unresolved: 2,
    sending: 5,
    unknown: 200,
    acknowledged: 200,
    givenUp: 2,
    withoutRecord: 0,
  };

  test('its parts add up to the whole', () => {
    expect(equation(countSum(counts))).toBe(
      '452 spans = 200 added + 2 not found + 200 unknown + 5 excluded + 45 not sent',
    );
    const sum = (equation(countSum(counts)).split(' = ')[1] ?? '')
      .match(/\d+/g)
      ?.reduce((all, each) => all + Number(each), 0);
    expect(sum).toBe(counts.picked);
  });

  test('reports missing spans and requests without an answer', () => {
    const batches = { total: 3, acknowledged: 1, unknown: 1, doubtful: 0 };
    expect(progressSentence({ counts, batches, search: null, recheck: null })).toBe(
      'Added 200 of 449 items. 2 spans were not found. 1 request has no answer: its items may or may not be stored.',
    );
  });

  test('reports spans found at another time with the time difference', () => {
    const batches = { total: 3, acknowledged: 1, unknown: 0, doubtful: 0 };
    const found = [
      { marginMs: 3_600_000, spans: 20 },
      { marginMs: 604_800_000, spans: 7 },
    ];
    const search = { marginMs: 2_592_000_000, calls: 5, found, isRefused: false, end: null };
    const said = progressSentence({ counts, batches, search, recheck: null });
    expect(said).toContain('27 found at another time: 20 within 1 h, 7 within 7 days.');
    expect(said).toContain('Looking up to 30 days before and after (5 requests).');
    const recheck = { phase: 'taken', atMs: 0, checked: 452, gone: 3, changed: 0, moved: 30 } as const;
    expect(progressSentence({ counts, batches, search: null, recheck })).toContain(
      '30 found at another time before the first request.',
    );
  });

  test('says why selecting ended early, and with what result', () => {
    const selection = { application_id: '', start_time: '', end_time: '' };
    const source: PickSource = { kind: 'service', selection };
    const file: PickSource = {
      ...{ kind: 'file', name: 'a.csv', fileId: '', rows: 9 },
      dialect: {
        ...{ format: 'csv', encoding: 'utf-8', delimiter: ',', quote: '"', hasHeader: true, nullWords: [] },
      },
    };
    const fill = { fetched: 1_200, added: 1, total: null };
    expect(haltedText({ ...fill, source, phase: 'stopped' })).toBe(
      'You stopped it: 1,200 spans were read, 1 span added.',
    );
    expect(haltedText({ ...fill, source: file, total: 5_000, phase: 'interrupted' })).toBe(
      'Spandeck ended meanwhile: 1,200 of 5,000 rows of a.csv were read, 1 span added.',
    );
    expect(haltedText({ ...fill, source, phase: 'done' })).toBeNull();
  });

  test('a dataset that does not exist yet is called new', () => {
    const target = { kind: 'new' as const, name: 'Set', description: null, metadata: null };
    expect(targetText({ target, datasetId: null })).toBe('Set (new)');
    expect(targetText({ target, datasetId: 'd' })).toBe('Set');
    expect(targetText({ target: { ...target, name: ' ' }, datasetId: null })).toBeNull();
    expect(targetText({ target: null, datasetId: null })).toBeNull();
  });
});

test('failure kinds are counted by existence: another label alone is neither better nor worse', () => {
  const counts = { worse: 0, better: 0, changed: 0, same: 2, missing: 0 };
  const titles = (changed: number) =>
    kindColumns([{ name: 'Wrong tone', counts: { ...counts, changed } }]).map(({ title }) => title);
  expect(titles(0)).toEqual(['Worse', 'Better', 'Same']);
  expect(titles(3)).toEqual(['Worse', 'Better', 'Another label', 'Same']);
});

describe('the figures of scores in words', () => {
  const share = (value: number, interval: [number, number]) => ({ value, items: 641, interval });
  const figures = (more: number | null, verdict: ScoreVerdict): ScoreFigures => ({
    ...{
      kind: 'share',
      label: 'yes',
      before: share(0.677, [0.64, 0.712]),
      after: share(0.708, [0.672, 0.742]),
    },
    clusters: null,
    difference: { ...share(-0.031, [-0.058, -0.004]), verdict, more, smallest: null, probability: 0.02 },
  });

  test('state a share with its label, and a mean without false precision', () => {
    const own = figures(null, 'worse');
    expect([figureText(own, own.after), intervalText(own, own.after)]).toEqual([
      '70.8 % yes',
      '67.2 to 74.2 %',
    ]);
    const mean = { ...own, kind: 'mean', label: null } as const;
    expect(figureText(mean, { value: 0.123456, items: 4, interval: null })).toBe('0.123');
    expect(intervalText(mean, { value: 1, items: 1, interval: null })).toBe('');
  });

  test.each([
    ['worse', null, 'Worse by 3.1 points', '95 % sure: between 0.4 and 5.8 points.'],
    ['better', null, 'Better by 3.1 points', '95 % sure: between 0.4 and 5.8 points.'],
    ['unsure', 1_300, 'Cannot tell', '-5.8 to -0.4 points. About 1,300 more items would tell.'],
    ['unsure', null, 'Cannot tell', '-5.8 to -0.4 points.'],
    ['few', null, 'Too few items to tell', '641 items scored in both runs. A verdict needs at least 30.'],
  ] as const)('give the verdict %s (%s more) in a sentence', (verdict, more, head, detail) => {
    const words = verdictWords(figures(more, verdict));
    expect([words?.head, words?.detail.replaceAll('−', '-')]).toEqual([head, detail]);
  });

  test.each([
    [0, 'unsure', 'No difference', 'Equal in each of 641 items.'],
    [0.1, 'better', 'Better by 0.1', 'The same difference in each of 641 items.'],
    [0.1, 'unsure', 'Differs by 0.1', 'The same difference in each of 641 items.'],
  ] as const)(
    'equal differences of %d (%s) are not called sure within a range',
    (value, verdict, head, detail) => {
      const { difference, ...own } = figures(null, verdict);
      if (difference === null) throw new Error('Expected a difference.');
      const same = { ...difference, value, interval: [value, value] as const };
      expect(verdictWords({ ...own, kind: 'mean', difference: same })).toEqual({ head, detail });
    },
  );

  test('without enough traces count these, not their items', () => {
    const words = verdictWords({ ...figures(null, 'few'), clusters: 2 });
    expect(words?.detail).toBe(
      '641 items of 2 traces scored in both runs. A verdict needs at least 30 traces.',
    );
  });

  test('one sentence says a verdict, or which difference would show', () => {
    expect(verdictSentence(figures(null, 'better'))).toBe(
      'Better by 3.1 points. 95 % sure: between 0.4 and 5.8 points.',
    );
    const unsure = figures(null, 'unsure');
    const difference = { ...share(0, [-0.02, 0.02]), verdict: 'unsure', more: null, probability: 1 } as const;
    expect(verdictSentence({ ...unsure, difference: { ...difference, smallest: 0.034 } })).toBe(
      'Cannot tell. -2 to 2 points. A difference of 3.4 points would show.',
    );
    expect(verdictSentence({ ...unsure, difference: null })).toBe('');
  });

  test('state how many traces the items come from, and a share with its interval', () => {
    const own = figures(null, 'better');
    expect(clusterText(own)).toBe('');
    expect(clusterText({ ...own, clusters: 240 })).toBe(
      '641 items of 240 traces: items of one trace count together.',
    );
    expect(shareText(10, 100)).toBe('10 % (5.5 to 17.4 %)');
    expect(shareText(0, 0)).toBe('');
  });

  test('state agreement with its base rates', () => {
    const agreement = {
      ...{ items: 60, share: 0.7, interval: [0.575, 0.801] as const },
      kappa: { value: 0.362, interval: [-0.13, 0.594] as const },
      rates: ['a', 'b', 'c', 'd'].map((label) => ({ label, before: 0.25, after: 0.25 })),
    };
    expect(agreementText(agreement)).toBe('Equal for 70 % (57.5 to 80.1 %), kappa 0.36 (-0.13 to 0.59).');
    expect(ratesText(agreement)).toBe('Base rates: a 25 % and 25 %, b 25 % and 25 %, c 25 % and 25 %, …');
    expect(agreementText({ ...agreement, kappa: { value: 1, interval: null } })).toContain('%), kappa 1.');
    expect(agreementText({ ...agreement, kappa: null })).toContain('all have one label');
  });

  /** Returns the text about two numbers and the interval of their difference. */
  const better = (kind: 'mean' | 'share', before: number, after: number, reach: number): ScoreFigures => ({
    ...{ kind, label: null },
    before: { value: before, items: 5_000, interval: null },
    after: { value: after, items: 5_000, interval: [after - reach, after] },
    clusters: null,
    difference: {
      ...{
        value: after - before,
        items: 5_000,
        verdict: 'better',
        more: null,
        smallest: null,
        probability: 0,
      },
      interval: [after - before - reach, after - before + reach],
    },
  });
  test.each([
    ['mean', 1_231, 1_234, 0.5, '1,231 → 1,234', 'Better by 3', 'between 2.5 and 3.5.'],
    [
      'mean',
      0.30001,
      0.30002,
      1e-6,
      '0.30001 → 0.30002',
      'Better by 0.00001',
      'between 0.000009 and 0.000011.',
    ],
    ['mean', 0, 2e-9, 1e-9, '0 → 2e-9', 'Better by 2e-9', 'between 1e-9 and 3e-9.'],
    ['share', 0.5, 0.5003, 1e-4, '50 % → 50.03 %', 'Better by 0.03 points', 'between 0.02 and 0.04 points.'],
    [
      'share',
      0.9996,
      0.9998,
      1e-4,
      '99.96 % → 99.98 %',
      'Better by 0.02 points',
      'between 0.01 and 0.03 points.',
    ],
    ['share', 0.6, 0.7, 0.0999, '60 % → 70 %', 'Better by 10 points', 'between 0.01 and 20 points.'],
    ['share', 0.00001, 1, 0.1, '0.001 % → 100 %', 'Better by 100 points', 'between 90 and 110 points.'],
  ] as const)(
    'the digits of a %s from %s to %s show its difference',
    (kind, before, after, reach, pair, head, sure) => {
      const figures = better(kind, before, after, reach);
      const words = verdictWords(figures);
      const own = figures.before === null ? '' : figureText(figures, figures.before);
      expect([`${own} → ${figureText(figures, figures.after)}`, words?.head, words?.detail]).toEqual([
        ...[pair, head, `95 % sure: ${sure}`],
      ]);
    },
  );

  test('only a share of all or of none is 100 % or 0 %', () => {
    const alone = (value: number) => {
      const after = { value, items: 9, interval: [value, value] as const };
      const figures: ScoreFigures = {
        ...{ kind: 'share', label: null, before: null, after, difference: null, clusters: null },
      };
      return [figureText(figures, after), intervalText(figures, after)];
    };
    expect(alone(1)).toEqual(['100 %', '100 to 100 %']);
    expect(alone(0)).toEqual(['0 %', '0 to 0 %']);
    expect(alone(0.99999)).toEqual(['99.999 %', '99.999 to 99.999 %']);
    expect(alone(0.000001)).toEqual(['0.0001 %', '0.0001 to 0.0001 %']);
    // The lower end of the interval of an empty share, with a rounding error.
    expect(alone(1e-18)).toEqual(['0 %', '0 to 0 %']);
  });

  test('the ends of a narrow range differ, and a small difference is written out', () => {
    expect(rangeText(1_231, 1_231.5)).toBe('1,231 to 1,231.5');
    expect(rangeText(0.2, 0.25)).toBe('0.2 to 0.25');
    expect(rangeText(1, 1.0000000001)).toBe('1 to 1.0000000001');
    expect(differenceText(0.00001)).toBe('0.00001');
  });

  test('list labels as a matrix only if there are few', () => {
    const pair = (before: string | null, after: string) => ({ before, after, items: 1 });
    expect(labelSquare([pair('no', 'yes'), pair('yes', 'yes')])).toEqual(['no', 'yes']);
    expect(labelSquare(['a', 'b', 'c', 'd'].map((label) => pair(null, label)))).toBeNull();
  });
});
