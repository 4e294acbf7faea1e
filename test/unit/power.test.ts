/**
 * Planned readings wait while the computer runs on battery or on a metered network, as far as the system reports it.
 */
import { describe, expect, test } from 'vitest';
import { createPower } from '../../electron/engine/power.ts';
import {
  batteryText,
  heldBy,
  networkText,
  type PowerRules,
  type PowerState,
  UNKNOWN_POWER,
} from '../../electron/shared/power-model.ts';
import { ComputerPower } from '../../renderer/state/power.svelte.ts';

const USUAL: PowerRules = { onBattery: 'above-30', onMetered: 'own' };
const battery = (charge: number | null): PowerState => ({ isOnBattery: true, charge, isMetered: null });

describe('a planned reading', () => {
  test.each<[string, PowerState, Partial<PowerRules>, string | null]>([
    ['nothing is known', UNKNOWN_POWER, { onBattery: 'own' }, null],
    ['half charge', battery(0.5), {}, null],
    ['exactly 30 %', battery(0.3), {}, null],
    ['less', battery(0.299), {}, '29 % charge, until the computer is plugged in'],
    ['an unknown charge', battery(null), {}, null],
    ['less, but allowed', battery(0.1), { onBattery: 'all' }, null],
    ['a full battery', battery(1), { onBattery: 'own' }, 'on battery, until the computer is plugged in'],
    ['low, but plugged in', { ...battery(0.1), isOnBattery: false }, { onBattery: 'own' }, null],
    [
      'a metered network',
      { ...UNKNOWN_POWER, isMetered: true },
      {},
      'on a metered network, until there is another one',
    ],
    ['a metered network, but allowed', { ...UNKNOWN_POWER, isMetered: true }, { onMetered: 'all' }, null],
  ])('%s', (_, state, rules, held) => expect(heldBy(state, { ...USUAL, ...rules })).toBe(held));
});

test('the state of power and network is stated, also an unknown one', () => {
  const known = { isOnBattery: true, charge: 0.805, isMetered: false };
  expect([UNKNOWN_POWER, known].map(batteryText)).toEqual(['Power: unknown.', 'On battery, 80 % charge.']);
  expect([UNKNOWN_POWER, known].map(networkText)).toEqual([
    'Metered network: unknown.',
    'Metered network: no.',
  ]);
});

test('readings that waited start once the computer is plugged in, or the setting allows them', () => {
  let rules: PowerRules = { ...USUAL, onBattery: 'own' };
  const changes: PowerState[] = [];
  let freed = 0;
  const power = createPower({
    settings: () => rules,
    onChange: (state) => changes.push(state),
    onFree: () => {
      freed += 1;
    },
  });
  power.report({ isOnBattery: true });
  power.report({ isOnBattery: true });
  expect([power.heldBy(), freed, changes.length]).toEqual([
    'on battery, until the computer is plugged in',
    0,
    1,
  ]);
  power.report({ isOnBattery: false });
  expect([power.heldBy(), freed]).toEqual([null, 1]);
  power.report({ isOnBattery: true });
  rules = { ...rules, onBattery: 'all' };
  power.look();
  expect([power.heldBy(), freed]).toEqual([null, 2]);
});

test('the window reports only what Chromium states plainly', async () => {
  const reportOf = async (battery: { charging: boolean; level: number } | null, connection: object) => {
    const sent: unknown[] = [];
    const client = {
      on: () => () => undefined,
      invoke: async (_: string, news: unknown) => {
        sent.push(news);
        return news;
      },
    };
    const known = {
      ...(battery === null
        ? { getBattery: () => Promise.reject(new Error('not allowed')) }
        : { getBattery: async () => Object.assign(new EventTarget(), battery) }),
      connection: Object.assign(new EventTarget(), connection),
    };
    await new ComputerPower(client as never, known).follow();
    return sent;
  };
  // The report of a browser that does not know the state of the battery.
  expect(await reportOf({ charging: true, level: 1 }, {})).toEqual([UNKNOWN_POWER]);
  expect(await reportOf(null, { type: 'wifi', saveData: false })).toEqual([UNKNOWN_POWER]);
  expect(await reportOf({ charging: false, level: 0.2 }, { saveData: true })).toEqual([
    { isOnBattery: true, charge: 0.2, isMetered: true },
  ]);
  expect(await reportOf({ charging: true, level: 0.4 }, { type: 'ethernet' })).toEqual([
    { isOnBattery: null, charge: 0.4, isMetered: false },
  ]);
});
