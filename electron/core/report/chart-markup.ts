/** Draws charts as SVG with texts next to them. They need no script. Pure. */
import { inNumbers, numberText } from '../../shared/count-text.ts';
import { differenceText } from '../../shared/figure-words.ts';
import type { ReportChart } from '../../shared/report-model.ts';
import { escaped } from './escaped.ts';

const WIDTH = 640;
const HEIGHT = 200;
const MAX_LINES = 8;
/** Maximum number of points, because more points than pixels are not visible. */
const MAX_POINTS = 1_280;

export function chartMarkup(chart: ReportChart): string {
  return inNumbers('comma', () => (chart.form === 'bars' ? barMarkup(chart) : lineMarkup(chart)));
}

function barMarkup({ title, names, bars }: ReportChart & { form: 'bars' }): string {
  const most = Math.max(1, ...bars.flatMap(({ values }) => values));
  const rows = bars.map(({ label, values }) => {
    const cells = values.map((value, at) => {
      const width = round((value / most) * 100);
      return `<td><svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="c${at + 1}" width="${width}" height="10"/></svg><span>${numberText(value)}</span></td>`;
    });
    return `<tr><th scope="row">${escaped(label)}</th>${cells.join('')}</tr>`;
  });
  const heads = names.map((name) => `<th scope="col">${escaped(name)}</th>`);
  return `<section><h2>${escaped(title)}</h2><table class="bars"><thead><tr><td></td>${heads.join('')}</tr></thead><tbody>${rows.join('')}</tbody></table></section>`;
}

function lineMarkup({ title, series }: ReportChart & { form: 'lines' }): string {
  const points = series.flatMap((each) => each.points);
  if (points.length === 0)
    return `<section><h2>${escaped(title)}</h2><p class="none">No values.</p></section>`;
  const [from, to] = ends(points.map(([ms]) => ms));
  const [low, high] = ends(points.map(([, value]) => value));
  const x = (ms: number) => round(shareOf(ms, from, to) * WIDTH);
  const y = (value: number) => round(HEIGHT - shareOf(value, low, high) * HEIGHT);
  const shown = series.slice(0, MAX_LINES);
  const lines = shown.map(({ points: own }, at) => {
    const step = Math.max(1, Math.ceil(own.length / MAX_POINTS));
    const places = own.filter((_, place) => place % step === 0 || place === own.length - 1);
    const drawn = places.map(([ms, value]) => `${x(ms)},${y(value)}`).join(' ');
    const dots =
      places.length > 1
        ? ''
        : places
            .map(([ms, value]) => `<circle class="d${at + 1}" cx="${x(ms)}" cy="${y(value)}" r="3"/>`)
            .join('');
    return `<polyline class="l${at + 1}" points="${drawn}"/>${dots}`;
  });
  const keys = shown.map(({ name }, at) => `<li><i class="k${at + 1}"></i>${escaped(name)}</li>`);
  const rest = series.length - shown.length;
  const label = `${title}: ${differenceText(low)} to ${differenceText(high)}, ${day(from)} to ${day(to)}`;
  return `<section><h2>${escaped(title)}</h2><figure class="lines"><p class="top">${escaped(differenceText(high))}</p><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${escaped(label)}">${lines.join('')}</svg><p class="bottom">${escaped(differenceText(low))}</p><p class="span"><span>${day(from)}</span><span>${day(to)}</span></p><ul>${keys.join('')}${rest > 0 ? `<li>${numberText(rest)} more in the table</li>` : ''}</ul></figure></section>`;
}

/** Position of a value between the lowest (0) and the highest (1); 0.5 if both are equal. */
function shareOf(value: number, low: number, high: number): number {
  if (high === low) return 0.5;
  // Halves the numbers, because the difference of very large numbers overflows.
  if (!Number.isFinite(high - low)) return (value / 2 - low / 2) / (high / 2 - low / 2);
  return (value - low) / (high - low);
}

const round = (value: number): number => Math.round(value * 100) / 100;

const ends = (values: readonly number[]): [number, number] =>
  values.reduce<[number, number]>(
    ([least, most], each) => [Math.min(least, each), Math.max(most, each)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );

/** The day of a time; data may contain times outside the range of dates. */
function day(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString().slice(0, 16).replace('T', ' ');
}
