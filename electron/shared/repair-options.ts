import type { ProblemKind, RepairKind } from './upload-model.ts';

/** The possible repairs of a problem; the first is suggested unless there are objections. */
export const REPAIRS_OF: Readonly<Record<ProblemKind, readonly RepairKind[]>> = {
  trim: ['trim'],
  comma: ['decimal-comma', 'thousands'],
  'decimal-comma': ['decimal-comma'],
  thousands: ['thousands'],
  currency: ['currency'],
  parentheses: ['parentheses'],
  percent: ['percent', 'percent-share'],
  'null-word': ['null-word'],
  spelling: ['spelling'],
  'true-false': ['true-false'],
  'day-first': ['day-first'],
  'month-name': ['month-name'],
  'compact-date': ['compact-date'],
  'out-of-range': ['null'],
  other: [],
};
