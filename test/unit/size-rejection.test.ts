/** The text of a rejection shows whether too much was sent or a row is invalid. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { statusError } from '../../electron/api/http-errors.ts';
import { isSizeRejection, namedLimit } from '../../electron/core/jobs/size-rejection.ts';

const SENT = { rows: 1_500, bytes: 2_000_000 };

function rejection(message: string, reason = '', issue = '', status = 400) {
  const issues = reason === '' && issue === '' ? [] : [{ reason, message: issue }];
  return statusError(status, 'POST /v3/events', { message, issues }).toWire();
}

/** Texts of services, gateways and validators. */
const SIZES = [
  'Request body too large',
  'request entity too large',
  'Payload Too Large',
  'PayloadTooLargeError: request entity too large',
  'http: request body too large',
  'The request payload exceeds the maximum allowed size of 1048576 bytes',
  'Request size exceeds the limit of 1 MB: body is too large',
  'Maximum request body size is 1 MB',
  'Content length exceeded the limit',
  'Exceeded maximum payload size of 6 MB',
  'Received message larger than max (5242880 vs. 4194304)',
  'The body of the request is too big',
  'Too many events',
  'Too many records in the request: 1500 > 1000',
  'A maximum of 1000 events is allowed per request',
  'You can send at most 1,000 events at once',
  'No more than 500 rows may be published at once',
  'limit of 1000 events exceeded',
  'The number of events (1500) exceeds the limit of 1000',
  'events: at most 1000 allowed',
  'Batch size exceeds the maximum of 1000',
  'batch too large',
  'List should have at most 1000 items after validation, not 1500',
];

/** Texts about one row or an unknown cause. */
const ROWS = [
  'value too large for column amount',
  'Value too long for type character varying(20)',
  'Column "note" exceeds the maximum length of 1000',
  'String should have at most 50 characters',
  'event 17: payload field "note" is too large',
  'events[17] is too large',
  'Row 3: the body text is too long for this field',
  'List should have at most 128 items after validation, not 256',
  'The vector has too many dimensions: limit 128',
  'Integer too large: 99999999999999999999',
  'Timestamp exceeds the maximum of 9999-12-31',
  'Invalid event: amount is larger than the limit',
  'An event must not be more than 90 days old',
  'Events must have at most 2000 columns',
  'Events must not be more than 90 days old',
  'event 1500 is larger than the limit of the model',
  'Bad request',
  'Unknown category',
  'The model is limited to 10 environments',
];

describe('the text of a 400', () => {
  test.each(SIZES)('about the size of the request: %s', (text) => {
    expect(isSizeRejection(rejection(text), SENT)).toBe(true);
    expect(isSizeRejection(rejection('Bad request', 'Validation', text), SENT)).toBe(true);
    expect(isSizeRejection(rejection(text.toUpperCase(), '', '', 422), SENT)).toBe(true);
  });

  test.each(ROWS)('about a row: %s', (text) => {
    expect(isSizeRejection(rejection(text), SENT)).toBe(false);
    expect(isSizeRejection(rejection('Bad request', 'Validation', text), SENT)).toBe(false);
  });

  test.each(ROWS.slice(0, 6))('texts about a row and about the size are bad rows: %s', (text) => {
    expect(isSizeRejection(rejection('Request body too large', 'Validation', text), SENT)).toBe(false);
  });

  test('a reason alone is read too', () => {
    expect(isSizeRejection(rejection('Bad request', 'request_too_large'), SENT)).toBe(true);
    expect(isSizeRejection(rejection('Bad request', 'PayloadTooLarge'), SENT)).toBe(true);
  });

  test('status 413 needs no text; other statuses have other causes', () => {
    expect(isSizeRejection(rejection('', '', '', 413), SENT)).toBe(true);
    for (const status of [401, 403, 404, 409, 429, 500]) {
      expect(isSizeRejection(rejection('Request body too large', '', '', status), SENT)).toBe(false);
    }
  });

  test('a small request, or one below the limit, was not too large', () => {
    expect(isSizeRejection(rejection('Request body too large'), { rows: 3, bytes: 300 })).toBe(false);
    expect(isSizeRejection(rejection('at most 1000 events'), { rows: 1_000, bytes: 900_000 })).toBe(false);
    expect(isSizeRejection(rejection('Too many events'), { rows: 1, bytes: 900_000 })).toBe(false);
  });

  test('texts about a column stay bad rows in any surroundings', () => {
    const words = fc.constantFrom(...SIZES, ...ROWS, 'and', 'limit', 'maximum', '1000', 'payload', 'body');
    const texts = fc.array(words, { maxLength: 6 }).map((parts) => parts.join(' '));
    fc.assert(
      fc.property(texts, texts, (before, after) => {
        const text = `${before} value too large for column amount ${after}`;
        expect(isSizeRejection(rejection(text), SENT)).toBe(false);
      }),
    );
  });

  test('reads the same before and after it was stored', () => {
    const issues = Array.from({ length: 60 }, (_, index) => ({
      reason: 'Validation',
      message: index < 40 ? 'Request body too large' : 'value too large for column x',
    }));
    const error = statusError(400, 'POST /v3/events', { message: 'Bad request', issues });
    expect(isSizeRejection(error, SENT)).toBe(isSizeRejection(error.toWire(), SENT));
  });
});

test.each<[string, number | null]>([
  ['A maximum of 1000 events is allowed per request', 1_000],
  ['You can send at most 1,000 events at once', 1_000],
  ['The number of events (1500) exceeds the limit of 1000', 1_000],
  ['List should have at most 250 items after validation, not 1500', 250],
  ['limit of 2000 events exceeded', null],
  ['Request body too large', null],
  ['The request exceeds 1048576 bytes', null],
])('the stated limit: %s', (text, limit) => {
  expect(namedLimit(rejection(text), SENT)).toBe(limit);
});
