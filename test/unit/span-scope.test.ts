/** Titles of tabs of traces and sessions. */
import { expect, test } from 'vitest';
import { distinctTitle, scopeTitle } from '../../renderer/lib/span-scope.ts';

const session = { kind: 'session', id: '0123456789abcdef0123' } as const;

test('a title is the first line of the name, or else the start of the id', () => {
  expect(scopeTitle(session, ' Where is it?\nIt was sent on Monday.')).toBe('Where is it?');
  expect(scopeTitle(session, ' ')).toBe('Session 0123456789abcdef');
});

test('a title is cut between characters, and shows marks of text direction', () => {
  expect(scopeTitle(session, `${'a'.repeat(78)}🎉 party`)).toBe(`${'a'.repeat(78)}…`);
  expect(scopeTitle(session, 'a\u202eb')).toBe('a⟨U+202E⟩b');
});

test('a second session with the same question is named by the end of its id too', () => {
  expect(distinctTitle(session, 'Where is it?', ['When?'])).toBe('Where is it?');
  expect(distinctTitle(session, 'Where is it?', ['Where is it?'])).toBe('Where is it? · …cdef0123');
});
