/** Parses `--repair COLUMN:VALUE=REPLACEMENT`. */
import { expect, test } from 'vitest';
import { replacementOf } from '../../electron/cli/replacement-flag.ts';

const SOURCES = ['Geography', 'at', 'at:zone', 'note'];

test.each([
  ['Geography:Frankreich=France', { source: 'Geography', value: 'Frankreich', with: 'France' }],
  ['Geography:Frankreich=', { source: 'Geography', value: 'Frankreich', with: null }],
  ['at:zone:CET=UTC', { source: 'at:zone', value: 'CET', with: 'UTC' }],
  ['at:12:30=12:45', { source: 'at', value: '12:30', with: '12:45' }],
  ['note:a=b=c', { source: 'note', value: 'a', with: 'b=c' }],
  ['note:"a=b"=c', { source: 'note', value: 'a=b', with: 'c' }],
  ['note:"say ""a"""="b"', { source: 'note', value: 'say "a"', with: '"b"' }],
])('%s names a value and its replacement', (typed, expected) => {
  expect(replacementOf(typed, SOURCES)).toEqual(expected);
});

test.each(['null', 'Geography=null', 'Geograph:a=b'])('%s is not a replacement', (typed) => {
  expect(replacementOf(typed, SOURCES)).toBeNull();
});

test.each(['Geography:Frankreich', 'Geography:=France', `note:${'a'.repeat(201)}=b`])(
  'a flag without a value or a replacement is rejected: %s',
  (typed) => {
    expect(() => replacementOf(typed, SOURCES)).toThrow(/expects COLUMN:VALUE=REPLACEMENT/);
  },
);
