/** The user is asked for a new token once for each rejected one. */
import { expect, test } from 'vitest';
import type { Connection } from '../../electron/shared/model.ts';
import { asksNow, keepAsked, questionOf } from '../../renderer/lib/token-question.ts';

type Owner = Pick<Connection, 'id' | 'kind' | 'tokenHint'>;
const saved = (savedAtMs: number, id = 'a'): Owner => ({
  id,
  kind: 'service',
  tokenHint: { lastFour: 'x7Qa', savedAtMs },
});
const given = {
  connection: saved(1),
  network: 'unauthorized',
  asked: null,
  isBehindDialog: false,
} as const;

test('requested if the token of the active connection is rejected, and nowhere else', () => {
  expect(asksNow(given)).toBe(true);
  expect(asksNow({ ...given, connection: { ...saved(1), tokenHint: null } })).toBe(true);
  for (const network of ['unknown', 'online', 'switched-off', 'unreachable'] as const)
    expect(asksNow({ ...given, network })).toBe(false);
  expect(asksNow({ ...given, connection: null })).toBe(false);
  expect(asksNow({ ...given, connection: { ...saved(1), kind: 'sample' } })).toBe(false);
});

test('waits until another dialog is closed', () => {
  expect(asksNow({ ...given, isBehindDialog: true })).toBe(false);
});

test('asks once for each rejected token', () => {
  const asked = questionOf(saved(1));
  expect(asksNow({ ...given, asked })).toBe(false);
  expect(asksNow({ ...given, asked, connection: saved(2) })).toBe(true);
  expect(asksNow({ ...given, asked, connection: saved(1, 'b') })).toBe(true);
});

test('a connection that was left and is opened again is asked about again', () => {
  const asked = questionOf(saved(1));
  expect(keepAsked(asked, 'a')).toBe(asked);
  expect(keepAsked(asked, 'b')).toBeNull();
  expect(keepAsked(asked, null)).toBeNull();
});
