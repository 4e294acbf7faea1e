/**
 * Derives the meaning of a cell's number from the code of its number format, e.g. `[$-409]d/m/yy h:mm AM/PM;@`. Pure.
 */
import { type MaskedNumber, maskedNumber, type ShownText, ShownTextReader } from './shown-text.ts';

/** `time` has no date and `date` no time; `duration` counts beyond 24 hours. */
export type NumberKind = 'number' | 'date' | 'time' | 'date-time' | 'duration';

interface Section extends ShownText {
  kind: NumberKind;
  /** True if the format shows nothing of the value, e.g. only a quoted text. */
  isBlank: boolean;
  /** Condition of the section for values; null if it has none. */
  condition: ((value: number) => boolean) | null;
}

export interface NumberFormat {
  (value: number): NumberKind;
  /** Inserts the digits of an integer into the format, e.g. `ID-0007`; null if the format shows only a number. */
  masked?: (digits: string) => MaskedNumber | null;
  /** True if the format shows integers as codes, e.g. with leading zeros. */
  isOfCodes?: boolean;
  /** The words and currencies around the number, or an empty text. */
  words?: string;
  /** True if the format shows percentages. */
  isPercent?: boolean;
}

/** The value selects the section of the code, as in Excel: `positive;negative;zero;text`. */
export function numberFormat(code: string): NumberFormat {
  const sections = sectionsOf(code).slice(0, 3);
  const format: NumberFormat = kindsOf(sections);
  format.masked = (digits) => {
    const value = Number(digits);
    const section = hasCondition(sections)
      ? sections.find(({ condition }) => condition === null || condition(value))
      : value === 0
        ? (sections[2] ?? sections[0])
        : sections[0];
    return section === undefined || section.kind !== 'number' ? null : maskedNumber(section, digits);
  };
  format.isOfCodes = sections.some(({ kind, mask }) => kind === 'number' && mask !== null);
  format.words = sections.find(({ kind, words }) => kind === 'number' && words !== '')?.words ?? '';
  format.isPercent = code.replaceAll(/"[^"]*"|\\./g, '').includes('%');
  return format;
}

const hasCondition = (sections: readonly Section[]): boolean =>
  sections.some(({ condition }) => condition !== null);

function kindsOf(sections: readonly Section[]): (value: number) => NumberKind {
  const [first, second, third] = sections;
  const main = sections.find(({ isBlank }) => !isBlank)?.kind ?? 'number';
  if (sections.every(({ kind, isBlank }) => isBlank || kind === main)) return () => main;
  const kindOf = (section: Section | undefined): NumberKind =>
    section === undefined || section.isBlank ? main : section.kind;
  if (hasCondition(sections))
    return (value) => kindOf(sections.find(({ condition }) => condition === null || condition(value)));
  return (value) => {
    if (value < 0) return kindOf(second ?? first);
    return kindOf(value === 0 ? (third ?? first) : first);
  };
}

const DATE: readonly (readonly [from: number, to: number])[] = [
  ...([
    [14, 17],
    [27, 31],
    [36, 36],
    [50, 54],
    [57, 58],
    [71, 74],
    [81, 81],
  ] as const),
];
const TIME = [
  ...([
    [18, 21],
    [32, 35],
    [45, 45],
    [47, 47],
    [55, 56],
    [75, 76],
    [78, 78],
    [80, 80],
  ] as const),
];
const DATE_TIME = [
  ...([
    [22, 22],
    [77, 77],
  ] as const),
];
const DURATION = [
  ...([
    [46, 46],
    [79, 79],
  ] as const),
];

/** Built-in formats have a number and no code; those from 27 on belong to East Asian and Thai editions. */
export function builtInFormat(id: number): NumberFormat {
  const kinds = [
    ['date', DATE],
    ['time', TIME],
    ['date-time', DATE_TIME],
    ['duration', DURATION],
  ] as const;
  const found = kinds.find(([, ranges]) => ranges.some(([from, to]) => id >= from && id <= to));
  const kind = found?.[0] ?? 'number';
  const format: NumberFormat = () => kind;
  format.isPercent = id === 9 || id === 10;
  return format;
}

/**
 * The parts of a format code: quoted text, escaped character, space of a character's width, fill, text in brackets,
 * separator, or letters.
 */
const PARTS =
  /"[^"]*"?|\\.?|_.?|\*.?|\[([^\]]*)\]?|(;)|AM\/PM|A\/P|General|Standard|[a-z]+|[^"\\_*[;a-z]+/giu;
const CONDITION = /^\s*(<=|>=|<>|<|>|=)\s*(-?[\d.]+)\s*$/;

function sectionsOf(code: string): Section[] {
  const sections: Section[] = [];
  let section = new SectionReader();
  for (const [text, bracket, isEnd] of code.matchAll(PARTS)) {
    if (isEnd !== undefined) {
      sections.push(section.done());
      section = new SectionReader();
    } else section.add(text, bracket);
  }
  return [...sections, section.done()];
}

/** Collects the letters of dates and times in order; the meaning of `m` depends on its neighbours. */
class SectionReader {
  readonly #units: string[] = [];
  #isElapsed = false;
  #isNumber = false;
  #condition: Section['condition'] = null;
  #last = '';
  readonly #shown = new ShownTextReader();

  add(text: string, bracket: string | undefined): void {
    this.#shown.add(text, bracket);
    if (bracket !== undefined) this.#bracket(bracket);
    else if (/^["\\_*]/.test(text)) return;
    else if (/^a(m\/p|\/p)/i.test(text)) this.#units.push('h');
    else if (/^(general|standard)$/i.test(text)) this.#isNumber = true;
    else if (/^[a-z]/i.test(text)) this.#letters(text.toLowerCase());
    else if (/[#?@%]/.test(text) || (text.includes('0') && !this.#isFraction(text))) this.#isNumber = true;
    this.#last = text;
  }

  /** Digits right after seconds are fractions of a second; elsewhere they belong to a number. */
  #isFraction(text: string): boolean {
    return /^[.,]0+[^0]*$/.test(text) && /(^|\[)s+\]?$/i.test(this.#last);
  }

  #bracket(inside: string): void {
    const condition = CONDITION.exec(inside);
    if (condition !== null) this.#condition = conditionOf(condition[1] ?? '', Number(condition[2]));
    if (!/^(h+|m+|s+)$/i.test(inside)) return;
    this.#isElapsed = true;
    this.#units.push(inside.toLowerCase());
  }

  #letters(text: string): void {
    // The `e` in 0.00E+00 marks an exponent. As the year of an era it would not be in a number.
    if (this.#isNumber && text === 'e') return;
    for (const [unit] of text.matchAll(/([a-z])\1*/g)) this.#units.push(unit);
  }

  done(): Section {
    const units = this.#units;
    const isMinute = (index: number): boolean =>
      (units[index]?.length ?? 0) <= 2 &&
      (/^h/.test(units[index - 1] ?? '') || /^s/.test(units[index + 1] ?? ''));
    const hasTime = units.some((unit, index) => /^[hs]/.test(unit) || (/^m/.test(unit) && isMinute(index)));
    const hasDate = units.some(
      (unit, index) => /^[ydebga]/.test(unit) || (/^m/.test(unit) && !isMinute(index)),
    );
    const isBlank = !this.#isNumber && units.length === 0;
    const kind = this.#kind(hasDate, hasTime);
    return { kind, isBlank, condition: this.#condition, ...this.#shown.done() };
  }

  #kind(hasDate: boolean, hasTime: boolean): NumberKind {
    if (this.#isNumber) return 'number';
    if (this.#isElapsed) return 'duration';
    if (hasDate) return hasTime ? 'date-time' : 'date';
    return hasTime ? 'time' : 'number';
  }
}

function conditionOf(operator: string, limit: number): (value: number) => boolean {
  switch (operator) {
    case '<':
      return (value) => value < limit;
    case '<=':
      return (value) => value <= limit;
    case '>':
      return (value) => value > limit;
    case '>=':
      return (value) => value >= limit;
    case '<>':
      return (value) => value !== limit;
    default:
      return (value) => value === limit;
  }
}
