/** Values of another type than expected: for the mutated services, and for the window without one. Pure. */

/** Another type for a value, chosen by `turn`. */
export function retyped(value: unknown, turn: number): unknown {
  const others: unknown[] = [
    typeof value === 'number' ? String(value) : 17,
    typeof value === 'string' ? [value] : `as text: ${JSON.stringify(value)}`,
    { value, unit: 'new' },
    typeof value !== 'boolean',
    [value, value],
    [],
    {},
  ];
  return others[turn % others.length];
}
