/** A range among the parameters of a tab that moved on to another one, and its way back. Pure. */

export type RangeParams = Readonly<Record<string, string>>;

/** Empty: taken away. */
export const NOT_MOVED = { was_start: '', was_end: '' } as const;

export const isMoved = (params: RangeParams): boolean => params['was_start'] !== undefined;

/**
 * Parameters of the next range, with where it came from. Moved twice before any answer came: what was stored is
 * further back.
 */
export function movedTo(params: RangeParams, next: RangeParams, from: RangeParams): Record<string, string> {
  const { start = '', end = '' } = from;
  const { was_start = start, was_end = end } = params;
  return { ...next, was_start, was_end };
}

/** Parameters of the range it came from; null where it was not moved. */
export function wayBack({ was_start: start, was_end: end }: RangeParams): Record<string, string> | null {
  const isRange = [start, end].every((bound) => !Number.isNaN(Date.parse(bound ?? '')));
  return start === undefined || end === undefined || !isRange ? null : { start, end, ...NOT_MOVED };
}
