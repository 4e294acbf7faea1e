/** The element at an index of a list. Throws RangeError if there is none, so that a wrong index never becomes a value. */
export function elementAt<T>(list: ArrayLike<T>, index: number): T {
  const element = list[index];
  if (element === undefined) throw new RangeError(`Expected an index below ${list.length}, got ${index}.`);
  return element;
}
