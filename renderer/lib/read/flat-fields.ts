/** A flat object as names and values for reading: empty ones folded, a common start of names as a heading. Pure. */
import { isRawNumber } from '../../../electron/shared/exact-json.ts';
import type { JsonLine } from '../json-tree.ts';

/** More fields are found better in a tree, which grows on request. */
const MAX_FIELDS = 200;

/** An object of texts, numbers and the like, without lists or objects in it. */
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
  /** Without the heading of its group. */
  name: string;
  line: JsonLine;
}
interface FlatGroup {
  /** The common start of the names, without its last dot; empty without a heading. */
  heading: string;
  fields: FlatField[];
}

const startOf = (name: string): string => name.slice(0, Math.max(0, name.lastIndexOf('.')));
const isEmpty = ({ kind, text }: JsonLine): boolean => kind === 'null' || (kind === 'string' && text === '');

/** Fields without a heading first, otherwise in the order of the object. */
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
