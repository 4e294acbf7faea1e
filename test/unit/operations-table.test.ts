/**
 * The table of operations is current, and it is complete: every operation is in the client, the service, the window,
 * the command line and the tests.
 */
import { expect, test } from 'vitest';
import { OPERATION_IDS } from '../../electron/api/endpoints.ts';
import { OPERATION_HOMES } from '../../renderer/views/operation-homes.ts';
import { type Gap, gapsOf, operationRows } from '../coverage/operations-table.ts';
import { viewText } from '../coverage/view-sources.ts';

const rows = operationRows();

/** Known gaps with date and reason. The list should be empty. */
const KNOWN_GAPS: readonly (Gap & { since: string; reason: string })[] = [];

const nameOf = ({ operation, place }: Gap) => `${operation} in ${place}`;

test('no operation has an unknown gap, and no known gap is closed', () => {
  expect(gapsOf(rows).map(nameOf).sort()).toEqual(KNOWN_GAPS.map(nameOf).sort());
});

test('every operation has a home, and no home is for a missing operation', () => {
  expect(Object.keys(OPERATION_HOMES).sort()).toEqual([...OPERATION_IDS].sort());
});

test('every home is a kind of tab whose view exists', () => {
  const kinds = new Set(Object.values(OPERATION_HOMES).map(({ kind }) => kind));
  expect([...kinds].filter((kind) => viewText(kind) === null)).toEqual([]);
});
