/** Says why a text is not a number, and what to do. Pure. */

import { markOf } from './number-marks.ts';

const NUMBER = String.raw`[+-]?\d[\d.,]*`;
/** Patterns with their reasons. The first match is used. */
const REASONS: readonly (readonly [pattern: RegExp, rest: string])[] = [
  [
    /^[+-]?0[xob][\da-f]+$/i,
    ' in decimal digits, got one in hexadecimal, octal or binary digits. Convert it first.',
  ],
  [
    new RegExp(`^${NUMBER}\\s*/\\s*\\d+$|^[+-]?\\d*\\s*\\p{No}$`, 'u'),
    ', got a fraction. Write it with decimals.',
  ],
  [new RegExp(`^${NUMBER}:\\d{1,2}(?::\\d{1,2})?$`), ', got a time of day or a duration. Convert it to one.'],
  [new RegExp(`^${NUMBER}\\s*[‰‱]$`), ' alone, got one in thousandths. Write the number without the sign.'],
  [
    new RegExp(`^${NUMBER}\\s*[\\p{L}°µΩ²³/]+$`, 'u'),
    ' alone, got one with letters behind it. If they are a unit or a factor such as k or M, write the number without them.',
  ],
  [
    new RegExp(`^${NUMBER}\\s*(?:-|–|—|\\.\\.|…|to)\\s*\\d[\\d.,]*$`),
    ', got a range of two. Choose one of them.',
  ],
  [
    /^[<>≤≥~≈]\s*\d/,
    ' alone, got one with a sign of comparison before it. Write the number without the sign.',
  ],
  [
    /^\[.*\]$|^\(.+,.+\)$/s,
    ', got a list. Write the one that counts, such as the probability of one class, into a column of its own.',
  ],
  [/^[+-]?∞$/, ', got infinity, which JSON cannot hold. Replace it, or read it as no value.'],
];

const WORD_OF = {
  percent: 'a percent sign',
  parentheses: 'parentheses',
  currency: 'a currency',
  'trailing-sign': 'its sign behind it',
} as const satisfies Record<NonNullable<ReturnType<typeof markOf>>, string>;

/** A sentence that begins with `expected`, for example “Expected a whole number”. */
export function numberReason(text: string, expected: string): string {
  const mark = markOf(text);
  if (mark !== null) return `${expected} alone, got one with ${WORD_OF[mark]}. A repair can send it.`;
  const found = REASONS.find(([pattern]) => pattern.test(text));
  return `${expected}${found?.[1] ?? '.'}`;
}
