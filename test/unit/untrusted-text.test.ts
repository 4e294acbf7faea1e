/** Untrusted texts within sentences of this application do not change the direction of other text. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AppError } from '../../electron/shared/errors.ts';
import { isolated, sentence } from '../../electron/shared/untrusted-text.ts';

/** Number of isolates and overrides that a text does not close. */
function openMarks(text: string): number {
  let open = 0;
  for (const character of text) {
    if (/[\u202a-\u202e\u2066-\u2068]/u.test(character)) open += 1;
    else if (/[\u202c\u2069]/u.test(character)) open -= 1;
  }
  return open;
}

test('an override ends in the message of an error and in its next step', () => {
  const error = new AppError('BAD_REQUEST', 'Version 1\u202e is not known\u0007.', {
    nextStep: 'Ask \u2067them.',
  });
  expect(error.toWire()).toMatchObject({
    message: 'Version 1\ufffd is not known\ufffd.',
    details: { nextStep: 'Ask \ufffdthem.' },
  });
});

test('a right-to-left name is isolated, any other is unchanged', () => {
  expect(isolated('Bank churn')).toBe('Bank churn');
  expect(isolated('נטישה')).toBe('\u2068נטישה\u2069');
  const message = `The dataset ${isolated('נטישה')} has 3 items.`;
  expect(sentence(message)).toBe(message);
});

test('any input leaves nothing open, and the function is idempotent', () => {
  const marks = fc.string({
    unit: fc.constantFrom('a', 'נ', ' ', '\u202e', '\u202c', '\u2066', '\u2068', '\u2069', '\u0000'),
  });
  fc.assert(
    fc.property(marks, marks, (before, name) => {
      const said = sentence(`${before} ${isolated(name)} end`);
      expect(openMarks(said)).toBe(0);
      expect(sentence(said)).toBe(said);
    }),
  );
});
