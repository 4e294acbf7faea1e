/** The parser throws nothing but an AppError, whatever a body contains. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endpoint, OPERATION_IDS } from '../../electron/api/endpoints.ts';
import { asPage, asRecord, issueOf, parseAnswer } from '../../electron/api/envelope.ts';
import { exactPage, exactRows, exactValue } from '../../electron/api/read-answer.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { runs } from '../helpers/runs.ts';

const CONTEXT = { operation: 'GET /v3/applications', status: 200 };

function onlyAppErrors(action: () => unknown): void {
  try {
    action();
  } catch (problem) {
    expect(problem).toBeInstanceOf(AppError);
  }
}

const nameOfField = fc.constantFrom(
  'api_version',
  'kind',
  'data',
  'error',
  'errors',
  'code',
  'message',
  'reason',
  'help',
  'items',
  'ids',
  'total',
  'offset',
  'page_size',
  'toString',
  '__proto__',
  'constructor',
  'id',
  'name',
);
const { tree: envelopeLike } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('NORMAL', 'PAGINATED', 'ERROR', '3.0', '2.0', null, true, 0, -1, 1e300, '', []),
    fc.string(),
    fc.dictionary(nameOfField, tie('tree'), { maxKeys: 5 }),
    fc.array(tie('tree'), { maxLength: 4 }),
  ),
}));
const body = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.json(),
  envelopeLike.map((value) => JSON.stringify(value)),
  fc.tuple(envelopeLike, fc.nat(200)).map(([value, length]) => JSON.stringify(value).slice(0, length)),
  fc.nat(5_000).map((depth) => '['.repeat(depth)),
  fc.nat(5_000).map((depth) => '{"data":'.repeat(depth)),
);

test('parsing a body', () => {
  fc.assert(
    fc.property(body, fc.nat(), (text, offset) => {
      onlyAppErrors(() => asPage(parseAnswer(text, CONTEXT), offset, CONTEXT));
      onlyAppErrors(() => asRecord(parseAnswer(text, CONTEXT), CONTEXT));
      onlyAppErrors(() => issueOf(text));
    }),
    { numRuns: runs(3_000) },
  );
});

test('reading it by any row of the endpoint table', () => {
  fc.assert(
    fc.property(body, fc.constantFrom(...OPERATION_IDS), (text, operation) => {
      const sizeBytes = text.length;
      const answer = {
        kind: 'answered' as const,
        status: 200,
        headers: {},
        text,
        isUtf8: true,
        large: null,
        sizeBytes,
      };
      const row = endpoint(operation);
      for (const isExact of [true, false]) {
        const form = { row, isExact, onDifferences: () => undefined };
        onlyAppErrors(() => exactPage(form, 0, answer));
        onlyAppErrors(() => exactValue(form, answer));
        onlyAppErrors(() => [...exactRows('rows', form, 0, answer).rows]);
      }
    }),
    { numRuns: runs(2_000) },
  );
});
