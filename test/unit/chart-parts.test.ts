/** Styles, texts, table and zoom of a chart. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { severityOf } from '../../electron/shared/alert-record.ts';
import { meanChange } from '../../renderer/components/chart/changes.ts';
import { ChartModel } from '../../renderer/components/chart/chart-model.svelte.ts';
import { cursorText, viewCursor } from '../../renderer/components/chart/cursor-view.ts';
import { timeLimits, valueLimits, valueTitle } from '../../renderer/components/chart/plot-scales.ts';
import {
  describeChart,
  exactNumber,
  levelAt,
  seriesRange,
  spanOf,
  tableRows,
  toCsv,
  toTabs,
} from '../../renderer/components/chart/summary.ts';
import { clampSpan, scaleSpan } from '../../renderer/components/chart/zoom.ts';
import { COLOURS, lookOf, SEVERITY_LOOKS, severityWord } from '../../renderer/lib/chart/look.ts';
import type { ChartMarker, ChartSeries, ChartThreshold } from '../../renderer/lib/chart/types.ts';

const DAY = 86_400_000;
const START = Date.parse('2026-03-10T00:00Z');
const days = (count: number) => Array.from({ length: count }, (_, index) => START + index * DAY);

const series = (name: string, values: (number | null)[], look = 0): ChartSeries => ({
  id: name,
  name,
  kind: 'line',
  axis: 'left',
  times: days(values.length),
  values,
  look,
});
const marker = (index: number, severity: ChartMarker['severity']): ChartMarker => ({
  id: `m${index}`,
  timeMs: START + index * DAY,
  value: 0.3,
  axis: 'left',
  severity,
  text: 'psi is 0.3, above 0.25.',
});
const limit: ChartThreshold = { id: 'c', severity: 'critical', axis: 'left', side: 'above', level: 0.25 };
const span = { startMs: START, endMs: START + 3 * DAY };

describe('styles of series', () => {
  const css = readFileSync(join(import.meta.dirname, '../../renderer/styles/tokens.css'), 'utf8');

  test('every series colour is a token and no two of the first eight are the same', () => {
    const colours = Array.from({ length: COLOURS }, (_, index) => lookOf(index).colour);
    expect(new Set(colours).size).toBe(COLOURS);
    for (const colour of colours) expect(css).toContain(`--${colour}: light-dark(`);
  });

  test('two adjacent series differ in colour, dash and shape', () => {
    for (let index = 0; index < 40; index += 1) {
      const [one, two] = [lookOf(index), lookOf(index + 1)];
      expect(one.colour).not.toBe(two.colour);
      expect(one.dash).not.toEqual(two.dash);
      expect(one.shape).not.toBe(two.shape);
    }
  });

  test('six queries of twenty columns have styles of their own', () => {
    const looks = Array.from({ length: 120 }, (_, index) => JSON.stringify(lookOf(index)));
    expect(new Set(looks).size).toBe(120);
  });

  test('severities have shapes that no series has, each a different one', () => {
    const own = Object.values(SEVERITY_LOOKS).map(({ shape }) => shape);
    expect(new Set(own).size).toBe(own.length);
    for (let index = 0; index < 10; index += 1) expect(own).not.toContain(lookOf(index).shape);
  });

  test('severities are read as the service writes them; unknown words stay', () => {
    expect(severityOf('CRITICAL')).toBe('critical');
    expect(severityWord('WARNING')).toBe('Warning');
    expect(severityWord('DEFAULT')).toBe('Normal');
    expect(severityWord('FATAL')).toBe('FATAL');
    expect(severityWord(null)).toBe('Not known');
    expect(severityOf({})).toBe('other');
  });
});

describe('a chart in words and as a table', () => {
  const psi = series('psi', [0.1, null, 0.3, 0.2]);

  test('the description states values, gaps, extremes, thresholds and records', () => {
    expect(
      describeChart({
        series: [psi],
        thresholds: [limit],
        markers: [marker(2, 'critical')],
        span,
        zone: 'UTC',
      }),
    ).toBe(
      '1 series from Tue 10 Mar 2026 to Fri 13 Mar 2026, UTC. ' +
        'psi: 3 values, 1 gap; lowest 0.1 on Tue 10 Mar 2026, highest 0.3 on Thu 12 Mar 2026. ' +
        'Critical threshold: 0.25, above it. 1 critical record, 0 warning records.',
    );
  });

  test('the table has a row for every time of any series and record', () => {
    const late: ChartMarker = { ...marker(0, 'warning'), timeMs: START + 1.5 * DAY };
    const rows = tableRows([psi], [late], span);
    expect(rows.map(({ timeMs }) => (timeMs - START) / DAY)).toEqual([0, 1, 1.5, 2, 3]);
    expect(rows[1]?.['series-0']).toBeNull();
    expect(rows[2]).toEqual({ timeMs: late.timeMs, 'series-0': undefined, records: late.text });
  });

  test('CSV: exact values, empty gaps, quoted names, and no cell that a spreadsheet would run', () => {
    const named = { ...series('=HYPERLINK("x"), a', [0.1, null]), id: 'x' };
    expect(toCsv([named], [], { startMs: START, endMs: START + DAY }, 'Europe/Berlin')).toBe(
      'time (Europe/Berlin),"\'=HYPERLINK(""x""), a"\r\n2026-03-10T01:00:00+01:00,0.1\r\n2026-03-11T01:00:00+01:00,',
    );
  });

  test('copied as a table: tabs between cells, one line per row, and the head names the zone', () => {
    const named = { ...series('=1+1\tsum\nof all', [0.1, null]), id: 'x' };
    expect(toTabs([named], [], { startMs: START, endMs: START + DAY }, 'UTC')).toBe(
      "time (UTC)\t'=1+1 sum of all\n2026-03-10T00:00:00+00:00\t0.1\n2026-03-11T00:00:00+00:00\t",
    );
  });

  test('the tooltip has every shown series, its records and the levels at that time', () => {
    const view = viewCursor(
      { series: [psi], thresholds: [limit], markers: [marker(2, 'critical')], zone: 'UTC', isDay: true },
      START + 2 * DAY,
    );
    expect(cursorText(view)).toBe(
      'Thu 12 Mar 2026 UTC; Critical: psi is 0.3, above 0.25.; psi 0.3; Critical threshold 0.25',
    );
    const gap = viewCursor(
      { series: [psi], thresholds: [], markers: [], zone: 'UTC', isDay: true },
      START + DAY,
    );
    expect(gap.rows[0]).toMatchObject({ text: 'no value', isMissing: true });
  });

  test('an earlier period: its change is shown at the cursor and of the means, and has a column of its own', () => {
    const now = series('now', [0.3, 4, null, 6]);
    const before = { ...series('before', [0.1, 0, 7, 8]), earlierOf: 'now' };
    const chart = { series: [now, before], thresholds: [], markers: [], zone: 'UTC' };
    const at = (day: number) => viewCursor({ ...chart, isDay: true }, START + day * DAY).rows[1]?.change;
    expect([0, 1, 2, 3].map(at)).toEqual(['+0.2 (+200 %)', '+4', null, '−2 (−25 %)']);
    const moment = cursorText(viewCursor({ ...chart, isDay: true }, START + 3 * DAY));
    expect(moment).toContain('before 8, change −2 (−25 %)');
    expect(describeChart({ ...chart, span })).toContain('Change of the mean since: +0.7333 (+27.2 %).');
    expect(toCsv([now, before], [], span, 'UTC').split('\r\n')).toEqual([
      'time (UTC),now,before,Change from before',
      '2026-03-10T00:00:00+00:00,0.3,0.1,0.2',
      '2026-03-11T00:00:00+00:00,4,0,4',
      '2026-03-12T00:00:00+00:00,,7,',
      '2026-03-13T00:00:00+00:00,6,8,-2',
    ]);
    // If the current period is hidden, there is nothing to compare the earlier one with.
    expect(toCsv([before], [], span, 'UTC')).not.toContain('Change');
  });

  test('a threshold that changes over time holds until the next one', () => {
    const level = { times: [START, START + DAY], values: [1, null] };
    expect(levelAt({ level }, START - 1)).toBeNull();
    expect(levelAt({ level }, START + 1)).toBe(1);
    expect(levelAt({ level }, START + 2 * DAY)).toBeNull();
  });

  test('numbers are exact', () => {
    expect(exactNumber(0.123456789012)).toBe('0.123456789012');
    expect(exactNumber(1234567.5)).toBe('1,234,567.5');
    expect(exactNumber(1e-9)).toBe('1e-9');
  });

  test('the span of no values is empty', () => {
    expect(spanOf([], [])).toBeNull();
    expect(spanOf([series('a', [])], [])).toBeNull();
    expect(spanOf([psi], [marker(9, 'warning')])).toEqual({ startMs: START, endMs: START + 9 * DAY });
  });
});

describe('zoom of a chart', () => {
  const whole = { startMs: 0, endMs: 100_000 };

  test('stays inside, is never shorter than a second, and the whole range is not a zoom', () => {
    expect(clampSpan({ startMs: -50_000, endMs: 50_000 }, whole)).toBeNull();
    expect(clampSpan({ startMs: -10_000, endMs: 10_000 }, whole)).toEqual({ startMs: 0, endMs: 20_000 });
    expect(clampSpan({ startMs: 5_000, endMs: 5_001 }, whole)).toEqual({ startMs: 5_000, endMs: 6_000 });
    expect(clampSpan({ startMs: 0, endMs: 1 }, { startMs: 5, endMs: 5 })).toBeNull();
  });

  test('keeps the moment it is scaled around in place', () => {
    expect(scaleSpan({ startMs: 0, endMs: 100 }, 25, 0.5)).toEqual({ startMs: 12.5, endMs: 62.5 });
  });

  test('the model hides series, shows one alone, and shows all again', () => {
    const model = new ChartModel();
    model.toggle('a');
    expect([...model.hidden]).toEqual(['a']);
    model.only('a', ['a', 'b', 'c']);
    expect([...model.hidden]).toEqual(['b', 'c']);
    model.only('a', ['a', 'b', 'c']);
    expect([...model.hidden]).toEqual([]);
    model.cursorMs = 25_000;
    model.zoomBy('in', whole);
    expect(model.zoom).toEqual({ startMs: 12_500, endMs: 62_500 });
    model.moveTo(90_000, whole);
    expect(model.zoom).toEqual({ startMs: 40_000, endMs: 90_000 });
    model.zoomBy('out', whole);
    expect(model.zoom).toBeNull();
  });

  test('steps back and forward through previous zooms; panning is one step, and a new zoom clears the way forward', () => {
    const model = new ChartModel();
    const part = (startMs: number, endMs: number) => ({ startMs, endMs });
    model.show(part(0, 50_000), whole);
    model.show(part(10_000, 20_000), whole);
    for (const share of [0.5, 0.5, -0.25]) model.panBy(share, whole);
    expect(model.zoom).toEqual(part(17_500, 27_500));
    model.step('back', whole);
    expect(model.zoom).toEqual(part(10_000, 20_000));
    model.step('back', whole);
    model.step('back', whole);
    expect([model.zoom, model.canGoBack]).toEqual([null, false]);
    model.step('back', whole);
    for (let step = 0; step < 3; step += 1) model.step('forward', whole);
    expect([model.zoom, model.canGoForward]).toEqual([part(17_500, 27_500), false]);
    // A reset can be undone as well, and zooming to the same range again is not a step.
    model.reset();
    model.reset();
    model.step('back', whole);
    expect(model.zoom).toEqual(part(17_500, 27_500));
    model.show(part(30_000, 40_000), whole);
    expect(model.canGoForward).toBe(false);
    // A step back cannot restore the zoom of another time range.
    model.forget();
    expect([model.zoom, model.canGoBack, model.canGoForward]).toEqual([null, false, false]);
  });

  test('the cursor time of one chart is seen by the other charts, and by them alone', () => {
    const [one, two] = [new ChartModel(), new ChartModel()];
    one.cursorMs = 5_000;
    expect([one.cursorMs, one.otherMs, two.cursorMs, two.otherMs]).toEqual([5_000, null, null, 5_000]);
    // The pointer entered this chart before the other chart noticed that the pointer had left it.
    two.cursorMs = 6_000;
    one.cursorMs = null;
    expect([one.cursorMs, one.otherMs, two.cursorMs]).toEqual([null, 6_000, 6_000]);
    two.cursorMs = null;
    expect([one.otherMs, two.otherMs]).toEqual([null, null]);
  });
});

describe('the time axis', () => {
  const series = [{ times: [1_000, 2_000, 3_000] }] as unknown as ChartSeries[];
  const limits = (startMs: number, endMs: number) =>
    timeLimits({ span: { startMs, endMs }, series, markers: [], width: 220 });

  test('the first and the last point are inside the plot, not on its edge', () => {
    expect(limits(1_000, 3_000)).toEqual({ min: 900, max: 3_100 });
  });

  test('the shown range reaches the edge if there is more data beyond it', () => {
    expect(limits(1_500, 3_000)).toEqual({ min: 1_500, max: 3_075 });
  });
});

describe('a value axis', () => {
  test('includes zero if the values still fill much of its height', () => {
    expect(valueLimits(3_000, 5_000).suggestedMin).toBe(0);
    expect(valueLimits(-5_000, -1_200).suggestedMax).toBe(0);
  });

  test('fits values in a narrow band, and its title says that it does not start at zero', () => {
    expect(valueLimits(5_200, 6_200)).toEqual({ suggestedMin: 5_160, suggestedMax: 6_240 });
    expect(valueTitle('Traffic, events', { min: 5_000, max: 6_500 })).toBe(
      'Traffic, events (axis from 5,000, not 0)',
    );
    expect(valueTitle('Traffic, events', { min: 0, max: 6_500 })).toBe('Traffic, events');
  });
});

test('the legend shows the range of the visible points without gaps', () => {
  const values = series('psi', [0.1, null, 0.3, 0.2, 9]);
  expect(seriesRange(values, span)).toEqual({
    min: 0.1,
    mean: expect.closeTo(0.2),
    max: 0.3,
    count: 3,
    open: 0,
  });
  expect(seriesRange(series('none', [null, null]), span)).toBeNull();
});

test('an unfinished day is not the minimum, and not part of the mean or of its change', () => {
  const whole = series('traffic', [10, 12, 14, 2]);
  const values = { ...whole, openFromMs: whole.times[3] };
  const all = { startMs: whole.times[0] ?? 0, endMs: whole.times[3] ?? 0 };
  expect(seriesRange(values, all)).toEqual({ min: 10, mean: 12, max: 14, count: 4, open: 1 });
  const said = describeChart({ series: [values], thresholds: [], markers: [], span: all, zone: 'UTC' });
  expect(said).toContain('traffic: 4 values, 1 of a time that is not over; lowest 10 on');
  const earlier = { ...series('before', [5, 6, 7, 8]), earlierOf: 'traffic' };
  // The legend shows these two means, and the change is the difference between them.
  expect(meanChange(earlier, [values, earlier], all)).toMatchObject({ value: 6, earlierMean: 6, mean: 12 });
  const open = { ...values, openFromMs: whole.times[0] };
  expect(seriesRange(open, all)).toBeNull();
});

test('an unfinished day is marked and not compared at the cursor, in the table and in copies', () => {
  const whole = series('traffic', [10, 12, 14, 2]);
  const values = { ...whole, openFromMs: whole.times[3] };
  const earlier = { ...series('before', [5, 6, 7, 8]), earlierOf: 'traffic' };
  const chart = { series: [values, earlier], thresholds: [], markers: [], zone: 'UTC', isDay: true };
  const [third, last] = [viewCursor(chart, whole.times[2] ?? 0), viewCursor(chart, whole.times[3] ?? 0)];
  expect(third.rows).toMatchObject([{ text: '14' }, { text: '7', change: '+7 (+100 %)' }]);
  expect(last.rows).toMatchObject([{ text: '2 so far' }, { text: '8', change: null }]);
  expect(cursorText(last)).toContain('traffic 2 so far; before 8');
  expect(toCsv([values, earlier], [], span, 'UTC').split('\r\n')).toEqual([
    'time (UTC),traffic,before,Change from before,unfinished',
    '2026-03-10T00:00:00+00:00,10,5,5,',
    '2026-03-11T00:00:00+00:00,12,6,6,',
    '2026-03-12T00:00:00+00:00,14,7,7,',
    '2026-03-13T00:00:00+00:00,2,8,,yes',
  ]);
});

test('the description of an earlier period does not date its values to the period that it is compared with', () => {
  const earlier = { ...series('before', [5, 6, 7, 8]), earlierOf: 'now' };
  const said = describeChart({ series: [earlier], thresholds: [], markers: [], span, zone: 'UTC' });
  expect(said).toContain('lowest 5 beside Tue 10 Mar 2026, highest 8 beside Fri 13 Mar 2026.');
});
