/** The kinds of values that do not fit their column, and the possible repairs of each. */

/** Possible repairs of a value that does not fit its column. */
export const REPAIR_KINDS = [
  ...(['trim', 'decimal-comma', 'thousands', 'currency', 'parentheses', 'trailing-sign'] as const),
  ...(['percent', 'percent-share'] as const),
  ...(['null-word', 'spelling', 'true-false', 'day-first', 'month-name', 'compact-date', 'null'] as const),
] as const;
export type RepairKind = (typeof REPAIR_KINDS)[number];

/** Ways in which a value does not fit; `comma`: it is unclear whether a comma separates decimals or thousands. */
export const PROBLEM_KINDS = [
  ...(['trim', 'comma', 'decimal-comma', 'thousands', 'currency', 'parentheses'] as const),
  ...(['trailing-sign', 'percent'] as const),
  ...(['null-word', 'spelling', 'true-false', 'day-first', 'month-name', 'compact-date'] as const),
  ...(['out-of-range', 'other'] as const),
] as const;
export type ProblemKind = (typeof PROBLEM_KINDS)[number];

/**
 * The possible repairs of a problem, besides sending null. The first one is suggested unless there are objections. A
 * value out of range is sent unchanged, so nothing is suggested for it.
 */
export const REPAIRS_OF: Readonly<Record<ProblemKind, readonly RepairKind[]>> = {
  trim: ['trim'],
  comma: ['decimal-comma', 'thousands'],
  'decimal-comma': ['decimal-comma'],
  thousands: ['thousands'],
  currency: ['currency'],
  parentheses: ['parentheses'],
  'trailing-sign': ['trailing-sign'],
  percent: ['percent', 'percent-share'],
  'null-word': ['null-word'],
  spelling: ['spelling'],
  'true-false': ['true-false'],
  'day-first': ['day-first'],
  'month-name': ['month-name'],
  'compact-date': ['compact-date'],
  'out-of-range': [],
  other: [],
};

/** Maximum length of a value that can be replaced in all rows; longer ones are edited cell by cell. */
export const MAX_REPLACED_CHARS = 200;
export const MAX_REPLACEMENTS = 500;
