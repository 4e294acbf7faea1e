/** A real shell reads a copied command: its words are those of the request, whatever characters it contains. */
import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { curlCommand, shellOf } from '../../electron/core/text/curl-command.ts';
import type { RequestDetails } from '../../electron/shared/traffic-model.ts';
import { runs } from '../helpers/runs.ts';
import { aRequest } from '../helpers/traffic.ts';

const details = (changes: Partial<RequestDetails>): RequestDetails => ({ ...aRequest(), seq: 1, ...changes });

/** The arguments that curl would receive. */
function wordsOf(command: string, token: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  const run = spawnSync('sh', ['-c', script], { encoding: 'utf8', env: { SPANDECK_TOKEN: token } });
  expect(run.stderr).toBe('');
  return run.stdout.split('\0').slice(0, -1);
}

const valueAfter = (words: readonly string[], option: string) => words[words.indexOf(option) + 1];
/** Characters that break quoting, mixed with ordinary text. */
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
      { numRuns: runs(30) },
    );
  });

  test('of a read has no body', () => {
    const words = wordsOf(curlCommand(details({})).command, 't');
    expect(words.filter((word) => word.startsWith('--data'))).toEqual([]);
    expect(words.join(' ')).not.toContain('Content-Type');
  });

  test.each(['events', 'secret', 'too-large', 'pruned'] as const)(
    'with a body that was not stored (%s) names a file for it and says so',
    (bodyKept) => {
      const { command, note } = curlCommand(
        details({ bodyKept, sentBytes: 40, operation: 'POST /v3/events' }),
      );
      expect(valueAfter(wordsOf(command, 't'), '--data-binary')).toBe('@body.json');
      expect(note).toContain('body.json');
    },
  );

  test('with a file has a placeholder for it', () => {
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

/** The arguments that PowerShell makes of a command: '…' is literal, "…" can include environment variables. */
function powershellWords(command: string, token: string): string[] {
  const words: string[] = [];
  const quote = /['\u2018\u2019\u201a\u201b]/;
  let word: string | null = null;
  for (let at = 0; at < command.length; ) {
    const unit = command[at] ?? '';
    if (quote.test(unit)) {
      word ??= '';
      for (at += 1; at < command.length; at += 1) {
        if (!quote.test(command[at] ?? '')) word += command[at];
        else if (quote.test(command[at + 1] ?? '')) word += command[++at];
        else break;
      }
      at += 1;
    } else if (unit === '"') {
      const end = command.indexOf('"', at + 1);
      word = (word ?? '') + command.slice(at + 1, end).replace('$env:SPANDECK_TOKEN', token);
      at = end + 1;
    } else if (unit === '`' || /\s/.test(unit)) {
      if (word !== null) words.push(word);
      word = null;
      at += 1;
    } else {
      word = (word ?? '') + unit;
      at += 1;
    }
  }
  return word === null ? words : [...words, word];
}

describe('a copied command for PowerShell', () => {
  test('carries address and body unchanged, in ASCII, without a quote in an argument', () => {
    fc.assert(
      fc.property(nasty, nasty, (query, text) => {
        const body = JSON.stringify({ text, [query]: '“’é😀' });
        const url = `/v3/projects?search=${encodeURIComponent(query)}&raw=it's`;
        const operation = 'POST /v3/projects';
        const request = details({ operation, url, body, bodyKept: 'whole', sentBytes: body.length });
        const { command } = curlCommand(request, 'powershell');
        // Older versions replace non-ASCII characters in arguments with question marks.
        // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for control characters
        expect(command).toMatch(/^[\x00-\x7f]*$/);
        const words = powershellWords(command, 'the $token');
        expect(JSON.parse(words[0] ?? '')).toEqual(JSON.parse(body));
        expect(words.slice(1, 3)).toEqual(['|', 'curl.exe']);
        expect(words).toContain(`https://monitor.example.com${url}`);
        expect(words).toContain('Authorization: Bearer the $token');
        expect(valueAfter(words, '--data-binary')).toBe('@-');
        // Older versions lose quotation marks inside an argument.
        expect(words.slice(2).join('')).not.toContain('"');
        expect(command).not.toContain('the $token');
      }),
      { numRuns: runs(100) },
    );
  });

  test('of a read has no body, and a body that was not stored is a file', () => {
    expect(curlCommand(details({}), 'powershell').command).not.toContain('--data');
    const file = curlCommand(details({ bodyKept: 'file', sentBytes: 9 }), 'powershell');
    expect(powershellWords(file.command, 't')).toContain('file=@body.json');
    const events = curlCommand(details({ bodyKept: 'events', sentBytes: 9 }), 'powershell');
    expect(powershellWords(events.command, 't')).toContain('@body.json');
    expect(events.note).toContain('Events are not kept');
  });

  test('is the command on Windows', () => {
    expect([shellOf('win32'), shellOf('darwin'), shellOf('linux')]).toEqual(['powershell', 'posix', 'posix']);
  });
});
