/** Failed requests by cause: faults of the network are distinguished from faults of the application. */
import { expect, test } from 'vitest';
import { networkError } from '../../electron/api/http-errors.ts';
import { AppError, type ErrorDetails, toAppError } from '../../electron/shared/errors.ts';

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

test.each([
  ['a socket', coded('EMFILE', 'connect EMFILE')],
  ['a module', coded('ERR_INVALID_PACKAGE_CONFIG', 'Cannot read package.json: too many open files')],
  ['a thread', new Error('Worker initialization failure: EMFILE')],
  ['a cause', new Error('fetch failed', { cause: coded('ENFILE') })],
])('the limit of open files is named, whatever met it first, and blames no proxy: %s', (_name, problem) => {
  const said = {
    code: 'INTERNAL',
    message: expect.stringContaining('lets the application open no more files'),
    details: { nextStep: expect.stringContaining('raise the limit of open files') },
  };
  expect(networkError(problem, context)).toMatchObject(said);
  expect(networkError(problem, { ...context, proxy: 'proxy.example:8080' })).toMatchObject(said);
  expect(toAppError(problem)).toMatchObject(said);
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

test('a conflict that the service did not report is not said to exist already', () => {
  const titleOf = (details: ErrorDetails) =>
    new AppError('CONFLICT', 'The list changed.', details).toWire().title;
  expect([titleOf({ status: 409 }), titleOf({})]).toEqual(['Already exists or changed', 'Not possible now']);
});

test('a refused certificate may be that of an encrypted proxy only before the request was started', () => {
  const proxied = { ...context, proxy: 'proxy.example:8443', isProxyEncrypted: true };
  for (const code of ['CERT_HAS_EXPIRED', 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED']) {
    const saidOf = (wasStarted: boolean) => networkError(coded(code), { ...proxied, wasStarted }).message;
    expect(saidOf(false)).toContain('service.example or the proxy proxy.example:8443');
    expect(saidOf(true)).toContain('service.example');
    expect(saidOf(true)).not.toContain('proxy');
  }
});
