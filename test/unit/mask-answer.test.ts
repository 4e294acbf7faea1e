/** Answers to agents contain no values of private fields, even if a text repeats them. */
import { expect, test } from 'vitest';
import { maskAnswer } from '../../electron/cli/agents/mask-answer.ts';
import { createRedactor } from '../../electron/core/masking/redact.ts';

const mask = (text: string) =>
  maskAnswer({ reason: text }, createRedactor(['email', 'full name'], new Set()));

test.each([
  ['line 2, email “ana@x.de”: Expected a number.', 'line 2, email [redacted]: Expected a number.'],
  [
    '1 row. The first is in line 2, email “a “b” c”: Expected.',
    '1 row. The first is in line 2, email [redacted]: Expected.',
  ],
  ['line 9, full name “Ana”: Expected a number.', 'line 9, full name [redacted]: Expected a number.'],
  ['line 2, amount “abc”: Expected a number.', 'line 2, amount “abc”: Expected a number.'],
  ['The dataset “Edge cases” is not stored.', 'The dataset “Edge cases” is not stored.'],
])('%s', (text, masked) => {
  expect(mask(text)).toEqual({ reason: masked });
});
