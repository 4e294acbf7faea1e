/** Finds a row of units, or a second line of names, below the header. Pure. */
import { excerptOf } from '../readers/row-source.ts';
import { NULL_WORDS } from '../validate/column-evidence.ts';
import { isDatum } from './series-header.ts';

interface Row {
  line: number;
  cells: readonly string[] | null;
}

/** Minimum number of columns with a text above numbers or times alone. */
const MIN_COLUMNS = 2;
/** Minimum number of numbers or times below units, and below other words. */
const MIN_ROWS = { units: 2, words: 10 };

/** A unit, such as ms, m/s, kg·m², °C or €; also in brackets. */
const PART =
  '(?:[fpnuµμmkMGT]?(?:s|m|g|L|l|V|A|W|J|N|Pa|Hz|Wh|VA|bar|mol|eV|B|bit|bps|cd|lm|lx|Ω|F|H|T)|[cdh](?:m|Pa|L|l|g)|dB|dBm|t|sec|secs|seconds?|min|mins|minutes?|h|hr|hrs|hours?|d|days?|weeks?|months?|years?|millis|milliseconds|in|ft|mi|yd|lb|lbs|oz|gal|psi|rpm|mph|kph|knots|rad|deg|°|(?:deg ?|°)[CF]|K|Celsius|Fahrenheit|Kelvin|%|percent|pct|‰|ppm|ppb|px|pixels|[KMGT]i?B|[kKMG]bps|bytes?|tokens?|count|counts|EUR|USD|GBP|JPY|CHF|\\p{Sc})[²³]?(?:\\^?-?[1-4])?';
const UNIT = new RegExp(`^(?:1/)?${PART}(?:[/*·.]${PART}){0,3}$`, 'u');
const isUnit = (cell: string): boolean => UNIT.test(cell.replace(/^[[(]\s*(.*?)\s*[\])]$/, '$1'));

const isText = (cell: string): boolean => !isDatum(cell) && !NULL_WORDS.includes(cell);
const isMissing = (cell: string): boolean => cell === '' || NULL_WORDS.includes(cell);

/**
 * A note about the first of `rows` if it has no number or time, and different texts above numbers or times alone; an
 * empty list otherwise. `samples`: rows from further down.
 */
export function unitsNotes(rows: readonly Row[], samples: readonly Row[]): string[] {
  const [first, ...others] = rows.filter(({ cells }) => cells !== null);
  const rest = [...others, ...samples];
  const cells = (first?.cells ?? []).map((cell) => cell.trim());
  if (first === undefined || cells.some((cell) => cell !== '' && !isText(cell))) return [];
  const above = cells.filter((cell, at) => {
    const below = rest.map((row) => row.cells?.[at]?.trim() ?? '').filter((each) => !isMissing(each));
    const least = isUnit(cell) ? MIN_ROWS.units : MIN_ROWS.words;
    return cell !== '' && below.length >= least && below.every(isDatum);
  });
  if (new Set(above).size < MIN_COLUMNS) return [];
  return [
    `The first row (line ${first.line}), “${excerptOf(cells.filter((cell) => cell !== '').join(','))}”, may be units or a second line of names: it has texts above numbers and times alone. It is sent like the other rows, which makes texts of these columns: remove it from the file if it is no data.`,
  ];
}
