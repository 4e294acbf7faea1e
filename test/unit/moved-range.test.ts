/** A range that moved on, and its way back, among the parameters of a tab. */
import { expect, test } from 'vitest';
import { isMoved, movedTo, NOT_MOVED, wayBack } from '../../renderer/lib/moved-range.ts';

const day = (number: number) => ({
  range: '7d',
  start: `2026-03-0${number}T00:00:00.000Z`,
  end: `2026-03-0${number + 1}T00:00:00.000Z`,
});

test('what moved on has a way back, and only that', () => {
  const moved = movedTo(day(1), day(2), day(1));
  expect(moved).toEqual({ ...day(2), was_start: day(1).start, was_end: day(1).end });
  expect(isMoved(moved)).toBe(true);
  expect(wayBack(moved)).toEqual({ start: day(1).start, end: day(1).end, ...NOT_MOVED });
  expect(isMoved(day(1))).toBe(false);
  expect(wayBack(day(1))).toBeNull();
});

test('moved twice before any answer came, the way back is to what was stored', () => {
  const once = movedTo(day(1), day(2), day(1));
  const twice = movedTo(once, day(3), day(2));
  expect(wayBack(twice)).toMatchObject({ start: day(1).start, end: day(1).end });
});

test('parameters that are no range are no way back', () => {
  expect(wayBack({ ...day(2), was_start: 'yesterday', was_end: day(1).end })).toBeNull();
  expect(wayBack({ ...day(2), was_start: day(1).start })).toBeNull();
});
