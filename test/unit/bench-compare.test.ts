/** Benchmark results compared with the results of an earlier run. */
import { expect, test } from 'vitest';
import { changeText, machineChange, readEarlier } from '../helpers/bench-compare.ts';
import { result } from '../helpers/bench-result.ts';

const machine = { cpu: 'x', cores: 2, system: '6.1', node: 'v24.0.0' };
const earlier = readEarlier(
  JSON.stringify({
    machine,
    results: { command: [result('help', 80, 'ms', null, ''), result('none', NaN, 'ms', null, '')] },
  }),
);
const said = (name: string, figure: number, unit = 'ms') =>
  changeText(earlier, 'command', result(name, figure, unit, null, ''));

test('a figure is shown with the earlier one and the change in percent', () => {
  expect(said('help', 100)).toBe('80 ms, +25 %');
  expect(said('help', 60)).toBe('80 ms, −25 %');
});

test('a figure that the earlier run did not have is called new, as is one in another unit', () => {
  expect(said('stored page', 100)).toBe('new');
  expect(said('help', 100, 's')).toBe('new');
  expect(said('none', 1)).toBe('new');
});

test('names the other computer of compared figures', () => {
  expect(machineChange(machine, machine)).toBeNull();
  expect(machineChange(machine, { ...machine, cores: 8 })).toContain('cores 2 → 8');
});
