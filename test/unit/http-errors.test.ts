/** Failures of requests by cause: faults of the network and faults of the application are distinguished. */
import { expect, test } from 'vitest';
import { networkError } from '../../electron/api/http-errors.ts';

const context = {
  operation: 'GET /v3/models',
  host: 'service.example',
  proxy: null,
  wasStarted: false,
};
const coded = (code: string, message = code) => Object.assign(new Error(message), { code });

test.each([
  ['a programming error', new TypeError("Cannot read properties of undefined (reading 'agent')")],
  ['an error without a code', new Error('anything')],
  ['a damaged installation', coded('ERR_INVALID_PACKAGE_CONFIG')],
  ['no file that can be opened', coded('EMFILE', 'too many open files')],
])('%s is an internal error that keeps its cause and suggests no retry', (_name, problem) => {
  const error = networkError(problem, context);
  expect(error.code).toBe('INTERNAL');
  expect(error.cause).toBe(problem);
  expect(`${error.message} ${error.details.nextStep ?? ''}`).not.toMatch(/try again/i);
});

test.each(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_CLOSED', 'ECONNABORTED'])(
  '%s is a lost connection',
  (code) => {
    expect(networkError(coded(code), context).code).toBe('CONNECTION_LOST');
    expect(
      networkError(new Error('fetch', { cause: coded(code) }), { ...context, wasStarted: true }),
    ).toMatchObject({
      code: 'CONNECTION_LOST',
      details: { outcome: 'unknown' },
    });
  },
);
