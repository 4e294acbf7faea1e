/** The parameters of a tab keep a range that moved forward, and the range to return to. */
import { describe, expect, test } from 'vitest';
import {
  isMoved,
  movedTo,
  NOT_MOVED,
  nothingRead,
  previousRange,
  wasRead,
} from '../../renderer/lib/moved-range.ts';

const day = (number: number) => ({
  range: '7d',
  start: `2026-03-0${number}T00:00:00.000Z`,
  end: `2026-03-0${number + 1}T00:00:00.000Z`,
});

test('only a moved range has a way back', () => {
  const moved = movedTo(day(1), day(2), day(1));
  expect(moved).toEqual({ ...day(2), was_start: day(1).start, was_end: day(1).end });
  expect(isMoved(moved)).toBe(true);
  expect(previousRange(moved)).toEqual({ start: day(1).start, end: day(1).end, ...NOT_MOVED });
  expect(isMoved(day(1))).toBe(false);
  expect(previousRange(day(1))).toBeNull();
});

test('after two moves without an answer, the way back leads to the stored range', () => {
  const once = movedTo(day(1), day(2), day(1));
  const twice = movedTo(once, day(3), day(2));
  expect(previousRange(twice)).toMatchObject({ start: day(1).start, end: day(1).end });
});

test('invalid parameters are not a way back', () => {
  expect(previousRange({ ...day(2), was_start: 'yesterday', was_end: day(1).end })).toBeNull();
  expect(previousRange({ ...day(2), was_start: day(1).start })).toBeNull();
});

describe('parts of one range', () => {
  const list = { name: 'list', about: '{"search":"a/b"}' };

  test('a part that was read for an earlier range goes back there, even if the others were read for this one', () => {
    const params = { ...day(3), ...wasRead(day(1), list) };
    expect(previousRange(params, list)).toEqual({ start: day(1).start, end: day(1).end, ...NOT_MOVED });
    expect(previousRange(params)).toBeNull();
    expect(previousRange({ ...movedTo(params, day(4), day(3)) }, { name: 'other', about: '' })).toMatchObject(
      {
        end: day(3).end,
      },
    );
  });

  test('nothing is known to be stored of another query', () => {
    const params = { ...day(3), ...wasRead(day(1), list) };
    expect(previousRange(params, { ...list, about: '{}' })).toBeNull();
  });

  test('never goes forward, because two parts would alternate endlessly', () => {
    const params = { ...day(2), ...wasRead(day(3), list) };
    expect(previousRange(params, list)).toBeNull();
    expect(previousRange({ ...params, ...wasRead(day(2), list) }, list)).toBeNull();
  });

  test('a range that the user chose has no way back', () => {
    const params = { ...day(3), ...wasRead(day(1), list) };
    expect(nothingRead(params)).toEqual({ read_list: '' });
    expect(previousRange({ ...params, ...nothingRead(params) }, list)).toBeNull();
  });
});
