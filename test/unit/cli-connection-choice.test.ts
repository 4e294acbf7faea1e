/** A connection is found by its id, by the start of its id, or by its name. */
import { expect, test } from 'vitest';
import { connectionNames, findConnection } from '../../electron/cli/connection-choice.ts';
import type { Connection } from '../../electron/shared/model.ts';

const connection = (id: string, name: string) => ({ id, name }) as Connection;
const ALL = [
  connection('cef42a4e-0000-8000-8000-000000000001', 'Work'),
  connection('2aa51d1b-0000-8000-8000-000000000002', 'host (command line)'),
  connection('2aa51d1b-1111-8000-8000-000000000003', 'host (command line)'),
];

test.each([
  ['Work', 0],
  ['cef42a4e', 0],
  ['2aa51d1b-1111', 2],
  ['2aa51d1b-0000-8000-8000-000000000002', 1],
] as const)('%s', (typed, place) => {
  expect(findConnection(ALL, typed)).toBe(ALL[place]);
});

test('a name of several, and a start of several ids, name them with their ids', () => {
  for (const typed of ['host (command line)', '2aa51d1b'])
    expect(() => findConnection(ALL, typed)).toThrowError(
      `2 connections fit ${typed}: host (command line) (2aa51d1b), host (command line) (2aa51d1b). Name one by its id.`,
    );
  expect(findConnection(ALL, 'Other')).toBe(null);
  expect(connectionNames([])).toBe('none');
});
