/** Former names of keys in JSON answers, written beside the present ones until the next version. Pure. */

/** Keys of the objects, or of lists of objects, whose `reason` was called `why`. */
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

/** A copy of an answer of ours, whose objects under these keys have `why` beside `reason`. */
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
  return typeof value === 'object' && value !== null ? fieldsOf(value, owner) : value;
}
