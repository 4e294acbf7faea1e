/**
 * A flat object as names and values for reading: empty fields are collapsed, and a common start of names becomes a
 * heading. Pure.
 */
import { isRawNumber } from '../../../electron/shared/exact-json.ts';
import type { JsonLine } from '../json-tree.ts';

/** Maximum number of fields. Larger objects are shown as a tree, which loads lines on request. */
const MAX_FIELDS = 200;

/** Whether an object has only plain values, without lists or objects. */
export function isFlat(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isRawNumber(value)) return false;
  const values = Object.values(value);
  return (
    values.length > 0 &&
    values.length <= MAX_FIELDS &&
    values.every((each) => typeof each !== 'object' || each === null || isRawNumber(each))
  );
}

interface FlatField {
  /** Name of the field without the heading of its group. */
  name: string;
  line: JsonLine;
}
interface FlatGroup {
  /** The common start of the names, without its last dot; empty if there is no heading. */
  heading: string;
  fields: FlatField[];
}

const startOf = (name: string): string => name.slice(0, Math.max(0, name.lastIndexOf('.')));
const isEmpty = ({ kind, text }: JsonLine): boolean => kind === 'null' || (kind === 'string' && text === '');

/** Groups of fields: first those without a heading, otherwise in the order of the object. */
export function flatFields(lines: readonly JsonLine[]): { groups: FlatGroup[]; empty: string[] } {
  const filled = lines.filter((line) => !isEmpty(line));
  const nameOf = ({ name }: JsonLine) => name ?? '';
  const byStart = Map.groupBy(filled, (line) => startOf(nameOf(line)));
  const hasHeading = (line: JsonLine) => {
    const start = startOf(nameOf(line));
    return start !== '' && (byStart.get(start)?.length ?? 0) > 1;
  };
  const alone = filled.filter((line) => !hasHeading(line)).map((line) => ({ name: nameOf(line), line }));
  const groups = [...byStart]
    .filter(([start, [first]]) => start !== '' && first !== undefined && hasHeading(first))
    .map(([heading, own]) => ({
      heading,
      fields: own.map((line) => ({ name: nameOf(line).slice(heading.length + 1), line })),
    }));
  return {
    groups: [...(alone.length > 0 ? [{ heading: '', fields: alone }] : []), ...groups],
    empty: lines.filter(isEmpty).map(nameOf),
  };
}
