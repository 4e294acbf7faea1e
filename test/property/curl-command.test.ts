/** A copied command, read by a real shell: its words are those of the request, whatever stands in them. */
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { curlCommand } from '../../electron/core/curl-command.ts';
import type { RequestDetails } from '../../electron/shared/traffic-model.ts';
import { aRequest } from '../helpers/traffic.ts';

const details = (changes: Partial<RequestDetails>): RequestDetails => ({ ...aRequest(), seq: 1, ...changes });

/** The words that curl would get. */
function wordsOf(command: string, token: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  const run = spawnSync('sh', ['-c', script], { encoding: 'utf8', env: { SPANDECK_TOKEN: token } });
  expect(run.stderr).toBe('');
  return run.stdout.split('\0').slice(0, -1);
}

const valueAfter = (words: readonly string[], option: string) => words[words.indexOf(option) + 1];
/** What breaks quoting, between ordinary text. */
const nasty = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "'",
        '"',
        '\\',
        '$',
        '`',
        '$(id)',
        '!',
        '\n',
        '\r',
        '\t',
        ' ',
        '*',
        '~',
        '#',
        ';',
        '&',
        '%',
      ),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join('').replaceAll('\0', ''));

describe('a copied curl command', () => {
  test('carries address and body through a shell unchanged, and the token from the environment', () => {
    fc.assert(
      fc.property(nasty, nasty, (query, text) => {
        const body = JSON.stringify({ text });
        const url = `/v3/projects?search=${encodeURIComponent(query)}&raw=it's`;
        const operation = 'POST /v3/projects';
        const request = details({ operation, url, body, bodyKept: 'whole', sentBytes: body.length });
        const { command, note } = curlCommand(request);
        const words = wordsOf(command, 'the $token');
        expect(valueAfter(words, '--request')).toBe('POST');
        expect(words).toContain(`https://monitor.example.com${url}`);
        expect(valueAfter(words, '--data-raw')).toBe(body);
        expect(words).toContain('Authorization: Bearer the $token');
        expect(command).not.toContain('the $token');
        expect(note).toBe('');
      }),
      { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 100) },
    );
  });

  test('of a read has no body', () => {
    const words = wordsOf(curlCommand(details({})).command, 't');
    expect(words.filter((word) => word.startsWith('--data'))).toEqual([]);
    expect(words.join(' ')).not.toContain('Content-Type');
  });

  test.each(['events', 'secret', 'too-large', 'pruned'] as const)(
    'with a body that was not kept (%s) names a file for it and says so',
    (bodyKept) => {
      const { command, note } = curlCommand(
        details({ bodyKept, sentBytes: 40, operation: 'POST /v3/events' }),
      );
      expect(valueAfter(wordsOf(command, 't'), '--data-binary')).toBe('@body.json');
      expect(note).toContain('body.json');
    },
  );

  test('with a file has a place for it', () => {
    const { command, note } = curlCommand(details({ bodyKept: 'file', sentBytes: 40 }));
    const words = wordsOf(command, 't');
    expect(valueAfter(words, '--form')).toBe('file=@body.json');
    expect(words.join(' ')).not.toContain('Content-Type');
    expect(note).toContain('Files are not kept');
  });

  test('says where a token was masked', () => {
    expect(curlCommand(details({ url: '/v3/projects?search=[token]' })).note).toContain('masked');
  });
});
