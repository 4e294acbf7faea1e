import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseBaseUrl } from '../../electron/api/base-url.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { runs } from '../helpers/runs.ts';

function parsed(typed: string, allowsPlainHttp: boolean): string | null {
  try {
    return parseBaseUrl(typed, { allowsPlainHttp }).href;
  } catch (problem) {
    if (problem instanceof AppError) return null;
    throw problem;
  }
}

const typedUrl = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
  fc.webUrl().map((url) => `${url}/v3/v3/`),
  fc
    .tuple(fc.constantFrom('http://', 'https://', '', 'HTTP://'), fc.domain(), fc.string())
    .map((p) => p.join('')),
);

test('any text is either an address or an AppError, and normalization is idempotent', () => {
  fc.assert(
    fc.property(typedUrl, fc.boolean(), (typed, allowsPlainHttp) => {
      const href = parsed(typed, allowsPlainHttp);
      if (href === null) return;
      const again = parseBaseUrl(href, { allowsPlainHttp });
      expect(again.href).toBe(href);
      expect(href).not.toMatch(/\/$|\/v3$|[?#]|^[a-z]+:\/\/[^/]*@/i);
      expect(again.isEncrypted || again.isLoopback || allowsPlainHttp).toBe(true);
    }),
    // A path can contain text that looks like a user name.
    { numRuns: runs(2_000), examples: [['http://a.aa/://@/v3/v3/', true]] },
  );
});
