/** Scores of experiments over time: the runs that are compared, and the places of their points. */
import { describe, expect, test } from 'vitest';
import type { ScoreSummary } from '../../electron/shared/experiment-result.ts';
import { POINTS_ROOM, placePoints, type TimedPoint } from '../../renderer/lib/chart/timed-points.ts';
import {
  baselineOf,
  datasetChoices,
  pointsOfScore,
  scoreChoices,
  scoredRuns,
} from '../../renderer/lib/scores-over-time.ts';

const DAY = 86_400_000;
const START = Date.parse('2026-03-10T00:00Z');
const row = (id: string, day: number, dataset = 'd', status = 'COMPLETED') => ({
  ...{ id, name: `Run ${id}`, status, dataset: { id: dataset, name: `Set ${dataset}` } },
  created_at: new Date(START + day * DAY).toISOString(),
});
const score = (name: string, mean: number | null, evaluator = 'Judge'): ScoreSummary => ({
  ...{ evaluator, name, mean, count: 10 },
});
const key = (name: string, evaluator = 'Judge') => JSON.stringify([evaluator, name]);

describe('the experiments of a list', () => {
  test('are those with a mean, each once; the others are counted', () => {
    const scores: Record<string, ScoreSummary[] | null> = {
      ...{ a: [score('tone', 0.5)], b: [], c: null, d: [score('tone', null)] },
    };
    const rows = [row('a', 1), row('a', 1), row('b', 2), undefined, row('c', 3), row('d', 4)];
    const { runs, unread } = scoredRuns(rows, (id) => scores[id] ?? null);
    expect([runs.map(({ id, index }) => [id, index]), unread]).toEqual([[['a', 0]], 2]);
  });

  test('are offered by datasets and scores that at least two have, the most frequent first', () => {
    const scores: Record<string, ScoreSummary[]> = {
      a: [score('tone', 0.5), score('grade', 3), score('once', 1)],
      b: [score('tone', 0.6)],
      c: [score('tone', 0.7), score('grade', 4)],
      d: [score('tone', 0.1, 'People'), score('label', null)],
      e: [score('tone', 0.2, 'People')],
    };
    const others = [row('d', 4, 'other'), row('e', 5, 'other'), row('f', 6, 'alone')];
    // Two runs without a common score have nothing to compare, even if one run has its score twice.
    const apart = [row('g', 7, 'apart'), row('h', 8, 'apart')];
    const rows = [row('a', 1), row('b', 2), row('c', 3), ...others, ...apart];
    const { runs } = scoredRuns(rows, (id) => scores[id] ?? [score(id, 1), score(id, 1)]);
    expect(datasetChoices(runs).map(({ title }) => title)).toEqual(['Set d', 'Set other']);
    expect(scoreChoices(runs, 'd').map(({ title }) => title)).toEqual(['tone', 'grade']);
    const shared = scoredRuns([row('a', 1), row('x', 2), row('y', 3)], () => [
      score('tone', 1),
      score('tone', 2, 'People'),
    ]);
    expect(scoreChoices(shared.runs, 'd').map(({ title }) => title)).toEqual(['Judge: tone', 'People: tone']);
  });

  test('are points in the order of time, hollow if the run did not complete; the earliest complete one is the baseline', () => {
    const rows = [row('new', 3), row('old', 1, 'd', 'IN_PROGRESS'), row('mid', 2), row('else', 2, 'other')];
    const { runs } = scoredRuns(rows, () => [score('tone', 0.5)]);
    const points = pointsOfScore(runs, 'd', key('tone'), 'UTC', (id) => (id === 'new' ? [0.4, 0.6] : null));
    expect(points.map(({ id, isHollow, interval }) => [id, isHollow, interval])).toEqual([
      ['old', true, null],
      ['mid', false, null],
      ['new', false, [0.4, 0.6]],
    ]);
    expect(points.map(({ text }) => text)).toEqual([
      'Run old: 0.5, Wed 11 Mar 2026, 00:00, in progress',
      'Run mid: 0.5, Thu 12 Mar 2026, 00:00',
      'Run new: 0.5, 95 % sure: 0.4 to 0.6, Fri 13 Mar 2026, 00:00',
    ]);
    expect(baselineOf(points)?.id).toBe('mid');
    expect(baselineOf(points.slice(0, 1))?.id).toBe('old');
    expect(baselineOf([])).toBeUndefined();
  });
});

describe('the places of points', () => {
  const SIZE = { width: 900, height: 112 };
  const point = (id: string, day: number, value: number, interval: TimedPoint['interval'] = null) => ({
    ...{ id, timeMs: START + day * DAY, value, interval, isHollow: false, name: id, text: id },
  });

  test('are inside the chart with their intervals, below round numbers that enclose all values', () => {
    const placed = placePoints(
      [point('a', 0, 0.701, [0.68, 0.72]), point('b', 9, 0.807, [0.79, 0.83])],
      0.781,
      SIZE,
      'UTC',
    );
    expect(placed.values.map(({ text }) => text)).toEqual(['0.65', '0.7', '0.75', '0.8', '0.85']);
    for (const { x, y, reach } of placed.points) {
      expect(x).toBeGreaterThan(POINTS_ROOM.left);
      expect(x).toBeLessThan(SIZE.width - POINTS_ROOM.right);
      expect(reach?.top).toBeLessThan(y);
      expect(reach?.bottom).toBeGreaterThan(y);
      expect(reach?.bottom).toBeLessThanOrEqual(SIZE.height - POINTS_ROOM.bottom);
    }
    expect(placed.times.length).toBeGreaterThan(2);
  });

  test('are finite for one point, for equal values, and for values that differ only by rounding', () => {
    for (const points of [
      [point('a', 0, 0)],
      [point('a', 0, 1), point('b', 0, 1)],
      [point('a', 0, 0.3), point('b', 1, 0.1 + 0.2)],
      [point('a', 0, -5e9), point('b', 1, 5e9)],
    ]) {
      const { points: places, values } = placePoints(points, null, SIZE, 'UTC');
      for (const { x, y } of [...places, ...values.map((each) => ({ ...each, x: 0 }))])
        expect(Number.isFinite(x) && Number.isFinite(y)).toBe(true);
      expect(values.length).toBeLessThan(12);
    }
  });

  test('names do not cover points or each other', () => {
    const crowd = Array.from({ length: 40 }, (_, at) => point(`Experiment ${at}`, at / 10, (at % 7) / 10));
    const named = placePoints(crowd, null, SIZE, 'UTC').points.flatMap(({ name }) => name ?? []);
    expect(named.length).toBeGreaterThan(0);
    expect(named.length).toBeLessThan(40);
    const [first, second] = placePoints([point('a', 0, 0.5), point('b', 5, 0.6)], null, SIZE, 'UTC').points;
    for (const { name, point: own } of [first, second].flatMap((each) => each ?? [])) {
      expect(name?.x).toBeGreaterThan(POINTS_ROOM.left);
      expect(name?.x, own.id).toBeLessThan(SIZE.width - POINTS_ROOM.right);
    }
  });
});
