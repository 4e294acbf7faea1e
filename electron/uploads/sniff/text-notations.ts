/** Recognizes columns of texts that stand for numbers, durations or times in a notation that is not converted. Pure. */
import { excerptOf } from '../readers/row-source.ts';
import { NULL_WORDS } from '../validate/column-evidence.ts';
import { reasonOfPart } from '../validate/no-moment.ts';
import { readTime } from '../validate/timestamps.ts';

interface Notation {
  isFound: (text: string) => boolean;
  /** A plural noun. */
  noun: string;
  /** Sentences about the values that are sent and about the next step. */
  next: string;
}

const NUMBER = String.raw`[+-]?\d[\d.,'\u00a0\u202f ]*`;
/** Units of time in words. Their signs, such as m, are small letters: M stands for millions, W for watts. */
const UNIT_WORDS = 'yrs? years? wks? weeks? days? hrs? hours? mins? minutes? secs? seconds?'.split(' ');
const TIME_UNITS = UNIT_WORDS.flatMap((word) => {
  const large = word.toUpperCase();
  return [word, `${large.slice(0, 1)}${word.slice(1)}`, large];
});
/** A number and its unit of time. */
const PART = `\\d+(?:[.,]\\d+)?\\s*(?:${TIME_UNITS.join('|')}|y|w|d|h|m|s|ms|us|µs|ns)`;
const DURATION = new RegExp(
  `^(?:-?${PART}(?:[\\s,]*${PART})*|-?P(?=\\d|T\\d)(?:\\d+(?:[.,]\\d+)?[YMWD])*(?:T(?:\\d+(?:[.,]\\d+)?[HMS])+)?|-?\\d+ days?,? [+-]?\\d{1,2}:\\d\\d(?::\\d\\d(?:[.,]\\d+)?)?)$`,
);
const CLOCK = /^-?\d{1,3}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s*[ap]\.?m\.?)?$/i;
/** Signs of thousands, millions and so on. */
const FACTORS = 'k|K|M|B|G|T|bn|mn|[Mm]io\\.?|[Mm]rd\\.?|[Tt]sd\\.?|lakhs?|crores?|Cr|万|億|亿|만|억';
const UNITS =
  '[kKMGTP]?i?B|[kMG]?bit|bytes?|[kMGT]?bps|kg|g|mg|µg|lbs?|oz|t|km|m|cm|mm|µm|nm|mi|ft|in|°[CF]?|[kMm]?W|[kM]?Wh|m?V|m?A|[kMG]?Hz|px|pt|rpm|km/h|mph|ml|mL|cl|l|L|bar|psi|[kh]?Pa|m²|m³|tokens?|ms|s|min|h';
const WITH_UNIT = new RegExp(`^${NUMBER}(?:${FACTORS}|${UNITS})$`);
const PLAIN = new RegExp(`^${NUMBER}(?:[eE][+-]?\\d{1,3})?$`);
/** Fortran's sign of the exponent. A point, a sign or a zero tells it from dice, such as 2d6 and 1d20. */
const WITH_D = /^[+-]?(?:(?:\d+\.\d*|\.\d+)[dD][+-]?\d{1,3}|\d+[dD](?:[+-]\d{1,3}|0\d{1,2}))$/;
/** A date alone or before a time of day. */
const NUMERIC_DATE = /^\p{Nd}{1,2}([./-])\p{Nd}{1,2}\1\p{Nd}{4}(?=$|[Tt ,]\s*\p{Nd}{1,2}[:.]\p{Nd}{2})/u;
/** Numbers, durations and times are shorter. */
const MAX_CHARS = 120;

const AS_TEXT = 'They stay text';
const NOTATIONS: readonly Notation[] = [
  {
    isFound: (text) => CLOCK.test(text),
    noun: 'times of day or durations, without a date',
    next: `${AS_TEXT}: put the date in front to send times, or write durations as numbers of one unit.`,
  },
  {
    isFound: (text) => DURATION.test(text),
    noun: 'durations',
    next: `${AS_TEXT}: write them as numbers of one unit to send numbers.`,
  },
  {
    isFound: (text) => WITH_UNIT.test(text),
    noun: 'numbers with units or factors behind them',
    next: `${AS_TEXT}: write the numbers without them, all in the same unit, to send numbers.`,
  },
  {
    isFound: (text) => WITH_D.test(text),
    noun: 'numbers with D before their exponent',
    next: `${AS_TEXT}: write E in its place to send numbers.`,
  },
  {
    isFound: (text) => reasonOfPart(text) !== null && !PLAIN.test(text),
    noun: 'parts of dates, or several dates',
    next: `${AS_TEXT}: write one whole day, such as 2026-01-05, to send times.`,
  },
  {
    isFound: (text) => NUMERIC_DATE.test(text) || typeof readTime(text) !== 'string',
    noun: 'dates or times',
    next: 'They are sent as times where the model has a time, and stay text elsewhere.',
  },
];

/** Marks for a missing value, which say nothing about the notation. */
const isMissing = (text: string): boolean => /^[-–—.?*/]+$/.test(text) || NULL_WORDS.includes(text);

/**
 * A note for a column of texts without outer blanks, whose every value is in the same notation, or, for numbers with units, a
 * plain number in less than half of the values. Null for other texts.
 */
export function notationNote(name: string, values: readonly { text: string; line: number }[]): string | null {
  if (values.some(({ text }) => text.length > MAX_CHARS)) return null;
  const given = values.filter(({ text }) => !isMissing(text));
  for (const { isFound, noun, next } of NOTATIONS) {
    const found = given.filter(({ text }) => isFound(text));
    const [first] = found;
    if (first === undefined || found.length * 2 < given.length) continue;
    if (given.some(({ text }) => !isFound(text) && !PLAIN.test(text))) continue;
    return `Column “${excerptOf(name)}” looks like ${noun}, first “${excerptOf(first.text)}” in line ${first.line}: ${found.length} of ${values.length} sampled values. ${next}`;
  }
  return null;
}
