/** No text of a service controls the terminal or forges a line, in any kind of output. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createOutput, errorLine, table } from '../../electron/cli/output.ts';
import { jsonText } from '../../electron/cli/terminal-text.ts';
import { AppError } from '../../electron/shared/errors.ts';

/**
 * Characters that have an effect on a terminal: control characters, line separators, bidirectional overrides and
 * isolates.
 */
const STEERS = /(?!\n)[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
const evil = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\u001b', '\u001b]0;', '\u009b2J', '\n', '\r\n', '\r', '\t', '\b', '\u007f', '\u0085'),
    fc.constantFrom(
      '\u2028',
      '\u2029',
      '\u202e',
      '\u2066',
      '\u2069',
      '\u200f',
      '\u061c',
      '\ud800',
      'error X: ',
    ),
    fc.string({ unit: 'binary', maxLength: 3 }),
  ),
});

let written = '';
const stream = {
  write: (text: string) => {
    written += text;
  },
};
const streams = { stdout: stream, stderr: stream, env: {} };

/** Everything that `print` writes. */
function printed(print: () => void): string {
  written = '';
  print();
  return written;
}

const isOneLine = (text: string) => text.endsWith('\n') && !text.slice(0, -1).includes('\n');

test('answers, notes, progress, tables and errors contain nothing that controls a terminal', () => {
  fc.assert(
    fc.property(evil, evil, (one, other) => {
      const { answer, note } = createOutput(false, () => 0, streams);
      const text = printed(() => {
        answer(null, () => `${one}${other}`);
        answer(null, () => table([{ [one]: other, name: { id: one, name: other } }], [one, 'name']));
      });
      // In a text of several lines, a tab only adds space.
      expect(text.replaceAll('\t', ' ')).not.toMatch(STEERS);
      const lines = [
        printed(() => answer(null, () => [`${one}  created  ${other}`])),
        printed(() => note(`${one}: ${other}`)),
        printed(() => createOutput(false, () => 0, streams).progress(one)),
        `${errorLine(new AppError('BAD_REQUEST', one, { nextStep: other }))}\n`,
      ];
      for (const line of lines) {
        expect(line).not.toMatch(STEERS);
        expect(isOneLine(line)).toBe(true);
      }
      expect(table([{ [one]: other }], [one]).split('\n')).toHaveLength(2);
    }),
  );
});

test('a progress line that replaces itself contains nothing else that controls the terminal', () => {
  const terminal = { stdout: stream, stderr: { ...stream, isTTY: true }, env: { TERM: 'xterm' } };
  fc.assert(
    fc.property(evil, (text) => {
      const line = printed(() => createOutput(false, () => 0, terminal).progress(text));
      expect(line.startsWith('\r\u001b[2K')).toBe(true);
      expect(line.slice(5)).not.toMatch(/\p{Cc}|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
    }),
  );
});

test('JSON is one line, loses nothing, and escapes C1 controls, DEL and bidirectional characters', () => {
  fc.assert(
    fc.property(fc.jsonValue(), evil, evil, (value, key, text) => {
      const record = { value, [key]: text, list: [text] };
      const { answer, line } = createOutput(true, () => 0, streams);
      for (const json of [printed(() => answer(record, () => '')), printed(() => line(record))]) {
        expect(json).not.toMatch(STEERS);
        expect(json).not.toMatch(/\p{Bidi_Control}/u);
        expect(isOneLine(json)).toBe(true);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(record)));
      }
      expect(jsonText(record, 2)).not.toMatch(STEERS);
    }),
  );
  expect(jsonText('a\u009b\u202e\u007f\u200f')).toBe('"a\\u009b\\u202e\\u007f\\u200f"');
});
