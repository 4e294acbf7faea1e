/** Judges whether the new rows of a field differ from the known ones. Pure. */
import { type FieldShape, rowsWithValue, type SchemaChangeKind } from '../../shared/schema-model.ts';
import { wilson } from '../../shared/wilson.ts';
import { fewerProbability, independentShares, type Share } from '../statistics/shares.ts';

/** Minimum number of traces or items with new rows for a comparison. */
export const MIN_UNITS = 20;
/** Minimum number of values of a field for a statement about its types. */
const MIN_VALUES = 5;
/** Minimum fall in coverage that is reported, as a share of the rows. */
const MIN_FALL = 0.2;
/**
 * A type counts as new if its share of the known values is at most the first number, and is reported if its share of
 * the new values exceeds the second.
 */
const MAX_KNOWN_SHARE = 0.05;
const MIN_NEW_SHARE = 0.2;

/** The change that new rows show, if any, and the probability of such rows without a change. */
export interface Judgement {
  kind: SchemaChangeKind | null;
  probability: number;
}
export const UNCHANGED: Judgement = { kind: null, probability: 1 };

/** Rows of one trace are similar, so a share counts as if it came from as many independent rows as there are traces. */
function independent(count: number, { rows, units }: Pick<FieldShape, 'rows' | 'units'>): Share {
  const items = Math.min(rows, units);
  return { count: rows === 0 ? 0 : Math.round((count / rows) * items), items };
}

/** The shares of a type among the values before and after; null if there is no new type. */
function retyped(before: FieldShape, after: FieldShape): { was: Share; is: Share } | null {
  const [known, values] = [rowsWithValue(before), rowsWithValue(after)];
  if (known < MIN_VALUES) return null;
  for (const [type, rows] of Object.entries(after.types)) {
    const former = before.types[type] ?? 0;
    if (type === 'null' || former > MAX_KNOWN_SHARE * known) continue;
    const is = independent(rows, { rows: values, units: Math.min(values, after.units) });
    const [low] = wilson(is.count, is.items) ?? [0];
    if (is.items < MIN_VALUES || low <= MIN_NEW_SHARE) continue;
    return { is, was: independent(former, { rows: known, units: Math.min(known, before.units) }) };
  }
  return null;
}

/** `isMapped`: a saved mapping reads the field and finds no value in its other fields either. */
export function judge(before: FieldShape, after: FieldShape, isMapped: boolean): Judgement {
  if (before.units < MIN_UNITS || after.units < MIN_UNITS) return UNCHANGED;
  const type = retyped(before, after);
  // The test detects a fall, so a growing share is tested with both sides swapped.
  if (type !== null) return { kind: 'type', probability: fewerProbability(type.is, type.was) };
  const was = independent(rowsWithValue(before), before);
  const is = independent(rowsWithValue(after), after);
  const difference = independentShares(was, is);
  const isBlind = isMapped && rowsWithValue(after) === 0;
  if (difference === null || difference[1] >= (isBlind ? 0 : -MIN_FALL)) return UNCHANGED;
  return { kind: isBlind ? 'blind' : 'coverage', probability: fewerProbability(was, is) };
}
