/** Only the event ids are read from a pasted or dropped receipts file. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { delimitedLine } from '../../electron/shared/delimited.ts';
import { whole } from '../../electron/shared/pieces.ts';
import { readEventIds, readReceipts } from '../../electron/shared/receipts-file.ts';
import { writeWhole } from '../../electron/uploads/whole-file-writer.ts';
import { inPieces } from '../../renderer/lib/in-pieces.ts';
import { parsedIdsText } from '../../renderer/lib/upload-words.ts';

const parseEventIds = (text: string) => whole(readEventIds(text));

const file = (ids: readonly string[]) =>
  [
    delimitedLine(['row', 'line', 'batch', 'event_id']),
    ...ids.map((id, index) => delimitedLine([`${index + 1}`, `${index + 2}`, `${1 + (index >> 3)}`, id])),
  ].join('');

test('ids are read as pasted, each once', () => {
  expect(parseEventIds('a, b;c\n"d"  \'e\'\r\n[f] a')).toEqual({
    ids: ['a', 'b', 'c', 'd', 'e', 'f'],
    doubles: 1,
    receipts: null,
  });
  expect(parseEventIds(' \n,;')).toEqual({ ids: [], doubles: 0, receipts: null });
});

describe('a file of receipts', () => {
  test('of 10,000 rows: 10,000 ids, no number of a row or batch among them', () => {
    const ids = Array.from({ length: 10_000 }, (_, index) => `0b1c-${index}`);
    const given = parseEventIds(file(ids));
    expect(given).toEqual({ ids, doubles: 0, receipts: { rows: 10_000, withoutId: 0 } });
    expect(parsedIdsText(given, null)).toBe('10,000 event ids from pasted receipts');
    expect(parsedIdsText(given, 'r.csv')).toBe('10,000 event ids from receipts in r.csv');
  });

  test.each<[string, string, string[]]>([
    ['with Windows line ends and a mark', `\uFEFF${file(['a', 'b']).replaceAll('\n', '\r\n')}`, ['a', 'b']],
    ['pasted from a spreadsheet', file(['a', 'b']).replaceAll(',', '\t'), ['a', 'b']],
    ['with semicolons', file(['a', 'b']).replaceAll(',', ';'), ['a', 'b']],
    ['two files one after the other', file(['a', 'b']) + file(['b', 'c']), ['a', 'b', 'c']],
    ['a part without the header', file(['a', 'b', 'c']).split('\n').slice(2).join('\n'), ['b', 'c']],
    ['with more columns', 'row,event_id,note\n1,a,"x, y"\n2,b,\n', ['a', 'b']],
    ['ids without a row', 'row,line,batch,event_id\n1,2,1,a\n,,1,b\n', ['a', 'b']],
    ['nothing but the column', 'event_id\na\nb\n', ['a', 'b']],
  ])('%s', (_name, text, ids) => {
    expect(parseEventIds(text)).toMatchObject({ ids, receipts: {} });
  });

  test('10,000 are read in pieces: none blocks the window for as long as a frame', async () => {
    const ids = Array.from({ length: 10_000 }, (_, index) => `0b1c-${index}`);
    let nowMs = 0;
    let longestMs = 0;
    let begunMs = 0;
    // On this clock a step of the reading takes 1 ms, and each task first checks whether it is cancelled.
    const pieces = readEventIds(file(ids));
    const steps = (function* () {
      for (;;) {
        const { done, value } = pieces.next();
        nowMs += 1;
        longestMs = Math.max(longestMs, nowMs - begunMs);
        if (done === true) return value;
        yield undefined;
      }
    })();
    const isStopped = () => {
      begunMs = nowMs;
      return false;
    };
    expect((await inPieces(steps, isStopped, () => nowMs))?.ids).toEqual(ids);
    expect(nowMs).toBeGreaterThan(16);
    expect(longestMs).toBeLessThan(16);
    expect(await inPieces(readEventIds(file(ids)), () => true)).toBeNull();
  });

  test('counts rows without an id because a decision replaced their answer', () => {
    const given = parseEventIds(file(['a', '', 'a']));
    expect(given).toEqual({ ids: ['a'], doubles: 1, receipts: { rows: 3, withoutId: 1 } });
    expect(parsedIdsText(given, null)).toBe(
      '1 event id from pasted receipts · 1 row without an event id · 1 duplicate',
    );
  });

  test.each([
    'a, b, c',
    'a\nb\nc',
    '1\n2\n3',
    '1,2,3,4',
    '1,2,3,4\nx',
    '["a","b"]',
    '',
    '7,2,1,a\n8,3,1,b',
    'a b',
  ])('other texts are lists of ids: %s', (text) => {
    expect(whole(readReceipts(text))).toBeNull();
  });

  test.each(['＋', '-a', '=1+1', "'=a", '@x', '+5', '-1', "'a"])('the id %s is read back as saved', (id) => {
    expect(parseEventIds(file([id, 'b'])).ids).toEqual([id, 'b']);
  });

  test('any ids of a model are read back as saved', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'spandeck-receipts-'));
    const path = join(folder, 'receipts.csv');
    const id = fc.string({ minLength: 1, unit: 'binary' }).map((text) => text.trim());
    const ids = fc.uniqueArray(
      id.filter((text) => text !== '' && text !== 'event_id' && !/[\uD800-\uDFFF]/.test(text)),
      { minLength: 1 },
    );
    await fc.assert(
      fc.asyncProperty(ids, async (given) => {
        await writeWhole(path, [file(given)]);
        expect(parseEventIds(readFileSync(path, 'utf8')).ids).toEqual(given);
      }),
    );
    rmSync(folder, { recursive: true });
  });
});
