/** The Base64 text of bytes equals the text that Node writes. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toBase64 } from '../../electron/shared/base64.ts';

test('bytes become the same text as in Node, at every length of the last group', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 20 }), (bytes) => {
      expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
    }),
  );
});
