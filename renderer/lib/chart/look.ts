/**
 * Colour, dash and shape of every series, in a fixed order (the Okabe-Ito palette without two adjacent hues
 * that are easily confused), and the shapes of severities. The colours are tokens with a contrast of 3:1 to
 * the background of each theme. Pure.
 */
import { type Severity, severityOf } from '../../../electron/shared/alert-record.ts';

/** Number of `--chart-N` CSS tokens. */
export const COLOURS = 8;

/** Lengths of lines and gaps; the first is a solid line. */
const DASHES: readonly (readonly number[])[] = [[], [7, 3], [2, 3], [9, 3, 2, 3], [5, 2, 5, 5], [12, 4]];

/** Outlines in a box of -5 to 5, for both SVG and Path2D. Series never use the shapes of severities. */
const SHAPES = [
  'M-4 0A4 4 0 1 1 4 0A4 4 0 1 1 -4 0Z',
  'M-3.5 -3.5H3.5V3.5H-3.5Z',
  'M-1.3 -4.5H1.3V-1.3H4.5V1.3H1.3V4.5H-1.3V1.3H-4.5V-1.3H-1.3Z',
  'M-4 -2.3L-2.3 -4L0 -1.7L2.3 -4L4 -2.3L1.7 0L4 2.3L2.3 4L0 1.7L-2.3 4L-4 2.3L-1.7 0Z',
  'M0 -5L1.3 -1.6L4.8 -1.6L2 0.6L3 4L0 2L-3 4L-2 0.6L-4.8 -1.6L-1.3 -1.6Z',
] as const;

interface SeriesLook {
  /** Name of the token without its leading dashes, e.g. `chart-1`. */
  colour: string;
  dash: readonly number[];
  /** Outline of the series' points. */
  shape: string;
}

/** Dash patterns of an earlier period, each different from the pattern of the series it is compared with. */
const EARLIER_DASHES: readonly (readonly number[])[] = [
  [5, 4],
  [2, 4],
  [9, 5],
  [3, 5],
  [10, 4],
  [3, 3],
];
const EARLIER = 100_000;

/** Index of the look of the earlier period of a series: the same shape, grey and dashed. */
export const earlierLook = (place: number): number => EARLIER + place;

/** The style of the series at this index. */
export function lookOf(place: number): SeriesLook {
  const at = Math.max(0, Math.trunc(place));
  if (at >= EARLIER) {
    const own = at - EARLIER;
    return { ...lookOf(own), colour: 'text-3', dash: EARLIER_DASHES[own % EARLIER_DASHES.length] ?? [5, 4] };
  }
  return {
    colour: `chart-${(at % COLOURS) + 1}`,
    dash: DASHES[at % DASHES.length] ?? [],
    shape: SHAPES[at % SHAPES.length] ?? SHAPES[0],
  };
}

interface SeverityLook {
  word: string;
  /** CSS token for the colour of the shape. */
  colour: string;
  shape: string;
}

/** A severity is recognized mainly by its shape and word; the colour is secondary. */
export const SEVERITY_LOOKS: Readonly<Record<Severity, SeverityLook>> = {
  critical: { word: 'Critical', colour: 'bad', shape: 'M0 -5L5 0L0 5L-5 0Z' },
  warning: { word: 'Warning', colour: 'warn', shape: 'M0 -4.6L5 4H-5Z' },
  normal: {
    word: 'Normal',
    colour: 'text-3',
    shape:
      'M-3.5 0A3.5 3.5 0 1 1 3.5 0A3.5 3.5 0 1 1 -3.5 0ZM-2.2 0A2.2 2.2 0 1 0 2.2 0A2.2 2.2 0 1 0 -2.2 0Z',
  },
  other: { word: 'Other', colour: 'text-2', shape: 'M-4 -4H4V4H-4ZM-2.6 -2.6V2.6H2.6V-2.6Z' },
};

/** Dash patterns of the two threshold lines. No series uses them, so the lines can be distinguished without colour. */
export const THRESHOLD_DASHES = { warning: [3, 3], critical: [8, 3] } as const;

/** The word shown for a severity: our own if the severity is known, otherwise the service's. */
export function severityWord(value: unknown): string {
  const severity = severityOf(value);
  if (severity !== 'other') return SEVERITY_LOOKS[severity].word;
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : 'Not known';
}
