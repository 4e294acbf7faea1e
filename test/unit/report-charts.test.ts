/** Charts of reports are SVG, and show what a table of their values would show. */
import { describe, expect, test } from 'vitest';
import { chartMarkup } from '../../electron/core/report/chart-markup.ts';

const DAY_MS = 86_400_000;
const lines = (...series: readonly (readonly [number, number][])[]) =>
  chartMarkup({
    ...{ form: 'lines', title: 'Drift' },
    series: series.map((points, at) => ({ name: `series ${at}`, points: [...points] })),
  });
const drawn = (markup: string): string[][] =>
  [...markup.matchAll(/points="([^"]*)"/g)].map(([, points = '']) => points.split(' '));

describe('a chart of lines', () => {
  test('spans the earliest to the latest time, and the least to the largest value', () => {
    const markup = lines([
      [0, 0],
      [DAY_MS, 5],
      [2 * DAY_MS, 10],
    ]);
    expect(drawn(markup)).toEqual([['0,200', '320,100', '640,0']]);
    expect(markup).toContain('aria-label="Drift: 0 to 10, 1970-01-01 00:00 to 1970-01-03 00:00"');
  });

  test('shows a single value as a point in the middle', () => {
    expect(lines([[DAY_MS, 3]])).toContain('cx="320" cy="100"');
  });

  test('keeps the last of more points than are visible', () => {
    const points = Array.from({ length: 3_000 }, (_, at): [number, number] => [at, at]);
    const [shown = []] = drawn(lines(points));
    expect(shown.length).toBeLessThanOrEqual(1_281);
    expect(shown.at(0)).toBe('0,200');
    expect(shown.at(-1)).toBe('640,0');
  });

  test('draws eight lines, and says how many more there are', () => {
    const series = Array.from({ length: 11 }, (_, at): [number, number][] => [[at, at]]);
    const markup = lines(...series);
    expect(drawn(markup)).toHaveLength(8);
    expect(markup).toContain('3 more in the table');
  });

  test('writes a time beyond all dates as its number', () => {
    expect(
      lines([
        [0, 1],
        [1e20, 2],
      ]),
    ).toContain('1970-01-01 00:00 to 100000000000000000000');
  });

  test('draws the largest and the smallest numbers there are', () => {
    const [shown] = drawn(
      lines([
        [0, -1.7e308],
        [1, 0],
        [2, 1.7e308],
      ]),
    );
    expect(shown).toEqual(['0,200', '320,100', '640,0']);
    const [tiny] = drawn(
      lines([
        [0, 0],
        [1, 5e-324],
      ]),
    );
    expect(tiny).toEqual(['0,200', '640,0']);
  });

  test('without values says so', () => {
    expect(lines([])).toContain('No values.');
  });
});

test('bars have the lengths of their values, and escaped names', () => {
  const markup = chartMarkup({
    ...{ form: 'bars', title: 'Kinds', names: ['Rows'] },
    bars: [
      { label: `<b> & "it's"`, values: [4] },
      { label: 'other', values: [1] },
    ],
  });
  expect([...markup.matchAll(/width="([\d.]+)"/g)].map(([, width]) => width)).toEqual(['100', '25']);
  expect(markup).toContain('&lt;b&gt; &amp; &quot;it&#39;s&quot;');
});
