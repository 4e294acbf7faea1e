/** The two halves of the stand-in's context bridge share DOM events, which reach whatever document is current. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeWire } from '../../build/chromium-host/page/main-world.ts';

const CHANNEL = 'bridge';
let target: EventTarget;

beforeEach(() => {
  target = new EventTarget();
  vi.stubGlobal('addEventListener', target.addEventListener.bind(target));
  vi.stubGlobal('dispatchEvent', target.dispatchEvent.bind(target));
});
afterEach(() => vi.unstubAllGlobals());

/** A function of the isolated half, as the page's half sees it, with a way to release its number 1. */
function exposed() {
  const isolated = makeWire(CHANNEL, 'isolated');
  const page = makeWire(CHANNEL, 'main');
  const add = page.fromWire(isolated.toWire((a: number, b: number) => a + b)) as (
    ...numbers: number[]
  ) => unknown;
  const release = (origin: number) =>
    page.emit({ op: 'release', n: 1, origin, value: { t: 'value', v: null } });
  return { add, release };
}

test('a function can be called until its proxy of the same document is collected', () => {
  const { add, release } = exposed();
  expect(add(2, 3)).toBe(5);
  release(performance.timeOrigin);
  expect(add(2, 3)).toBeUndefined();
});

test('a proxy of a former document that is collected late releases no function of the present one', () => {
  const { add, release } = exposed();
  release(performance.timeOrigin - 1);
  expect(add(2, 3)).toBe(5);
});

test('a function that was sent twice is kept until both of its proxies are collected', () => {
  const isolated = makeWire(CHANNEL, 'isolated');
  const page = makeWire(CHANNEL, 'main');
  const one = () => 1;
  const [first, second] = [
    page.fromWire(isolated.toWire(one)),
    page.fromWire(isolated.toWire(one)),
  ] as (() => unknown)[];
  const packet = {
    op: 'release',
    n: 1,
    origin: performance.timeOrigin,
    value: { t: 'value', v: null },
  } as const;
  page.emit(packet);
  expect(second?.()).toBe(1);
  page.emit(packet);
  expect(first?.()).toBeUndefined();
});
