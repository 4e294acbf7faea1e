/** Ids that are typed on the command line. */
import { expect, test } from 'vitest';
import { isIdOrStart } from '../../electron/cli/suggestions.ts';

test('an id is recognized whole or by a long beginning: a short name of an experiment is not an id', () => {
  const id = '3f2a91c4-0000-4000-8000-000000000001';
  expect(isIdOrStart(id, id)).toBe(true);
  expect(isIdOrStart(id, '3f2a91')).toBe(true);
  expect(isIdOrStart(id, '3')).toBe(false);
});
