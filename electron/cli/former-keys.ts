/** Former names of keys in JSON answers, written next to the present ones until the next version. Pure. */
import { isRawNumber } from '../shared/exact-json.ts';

/** Keys of objects, or of lists of objects, in which `reason` was formerly called `why`. */
const OWNERS: ReadonlySet<string> = new Set([
  'lanes',
  'wait',
  'beforeUpload',
  'beforeUndo',
  'afterUndo',
  'wouldUndo',
  'baseline',
  'questions',
]);

/** A copy of an answer of this application, in which objects under these keys have `why` in addition to `reason`. */
export const withFormerKeys = (answer: object): object => fieldsOf(answer, '');

function fieldsOf(value: object, owner: string): object {
  const fields = Object.entries(value).flatMap(([key, each]): [string, unknown][] => {
    const now: [string, unknown] = [key, copyOf(each, key)];
    return key === 'reason' && OWNERS.has(owner) ? [now, ['why', each]] : [now];
  });
  return Object.fromEntries(fields);
}

function copyOf(value: unknown, owner: string): unknown {
  if (Array.isArray(value)) return value.map((each) => copyOf(each, owner));
  return typeof value === 'object' && value !== null && !isRawNumber(value) ? fieldsOf(value, owner) : value;
}
