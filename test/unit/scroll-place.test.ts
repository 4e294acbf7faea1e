/** The scroll position of a part of a view while its content changes. */
import { expect, test } from 'vitest';
import { inHand, placeOf, reached, scrolled } from '../../renderer/lib/scroll-place.ts';

const waiting = (top: number) => ({ top, isFound: false });
const found = (top: number) => ({ top, isFound: true });

test('a stored position is restored, any other value is the start', () => {
  expect(placeOf({ top: 340 })).toEqual(waiting(340));
  for (const kept of [undefined, null, 'far down', {}, { top: '340' }, { top: Number.NaN }, { top: -5 }])
    expect(placeOf(kept)).toEqual(waiting(0));
});

test('a position is restored once the content is high enough and completely loaded', () => {
  expect(reached(waiting(340), 120, false)).toEqual(waiting(340));
  expect(reached(waiting(340), 600, true)).toEqual(waiting(340));
  expect(reached(waiting(340), 339.4, false)).toEqual(found(340));
});

test('scrolling by the user wins, before and after the position is restored', () => {
  expect(scrolled(waiting(340), 60, 120, 120)).toEqual(found(60));
  expect(scrolled(found(340), 500, 340, 600)).toEqual(found(500));
  expect(inHand(120)).toEqual(found(120));
});

test('the end of content that is too short is not a position that the user chose', () => {
  expect(scrolled(waiting(340), 120, 120, 120)).toEqual(waiting(340));
  expect(scrolled(waiting(340), 40, 120, 40)).toEqual(waiting(340));
  expect(scrolled(found(340), 120, 340, 120)).toEqual(waiting(340));
});

test('scrolling up from the end of content that is long enough is by the user', () => {
  expect(scrolled(found(340), 300, 600, 600)).toEqual(found(300));
});
