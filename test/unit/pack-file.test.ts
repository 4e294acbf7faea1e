/**
 * The sealed file of a pack: truncation, changes, newer versions and excessive work are detected, and its content
 * cannot be read.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPack, writePack } from '../../electron/pack/pack-file.ts';
import { DataFolder } from '../helpers/data-folder.ts';

const PASSPHRASE = 'correct horse battery staple';
/** The minimal amount of work that a header may state. The file is sealed in the same way. */
const CHEAP = { N: 16_384, r: 8, p: 1 };
let folder: DataFolder;
let whole: Buffer;
let file: string;
const LINES = Array.from({ length: 4_000 }, (_, at) =>
  JSON.stringify({ at, text: `secret text ${at}`, hex: randomBytes(40).toString('hex') }),
);

beforeAll(async () => {
  folder = new DataFolder();
  file = folder.file('whole.pack');
  await writePack(file, PASSPHRASE, LINES, CHEAP);
  whole = readFileSync(file);
});
afterAll(() => folder[Symbol.dispose]());

async function read(bytes: Buffer, passphrase = PASSPHRASE, most = 10_000_000): Promise<string[]> {
  const changed = folder.file('changed.pack');
  writeFileSync(changed, bytes);
  const reader = await openPack(changed, passphrase);
  reader.mayHold(most);
  const lines: string[] = [];
  for await (const line of reader.lines()) lines.push(line);
  return lines;
}

test.skipIf(process.platform === 'win32')('a pipe or a folder is refused at once', async () => {
  const pipe = folder.file('pipe.pack');
  execFileSync('mkfifo', [pipe]);
  for (const path of [pipe, folder.path])
    await expect(openPack(path, PASSPHRASE)).rejects.toMatchObject({
      code: 'FILE_MALFORMED',
      message: expect.stringContaining('is a folder, a device or a pipe, not a file.'),
    });
});

const failsWith = (code: string) => ({ code });
const CHUNK = 65_536 + 16;
/** Returns the position after the header and the seal that checks the passphrase. */
const firstChunkAt = () => 12 + whole.readUInt32BE(8) + 16;

test('a written pack is read back, and its file has private mode and nothing readable', async () => {
  expect(await read(whole)).toEqual(LINES);
  expect(whole.length).toBeGreaterThan(3 * CHUNK);
  expect(statSync(file).mode & 0o077).toBe(0);
  const text = whole.toString('latin1');
  expect(text).not.toContain('secret');
  expect(text).not.toContain(PASSPHRASE);
  expect(readdirSync(folder.path).filter((name) => name.endsWith('.part'))).toEqual([]);
});

test('a wrong passphrase is distinguished from a damaged file', async () => {
  await expect(read(whole, 'wrong horse battery staple')).rejects.toMatchObject(
    failsWith('PASSPHRASE_WRONG'),
  );
  const head = Buffer.from(whole);
  head.writeUInt8(head.readUInt8(30) ^ 1, 30);
  await expect(read(head)).rejects.toMatchObject({
    code: expect.stringMatching(/^(PASSPHRASE_WRONG|FILE_MALFORMED)$/),
  });
});

test('detects a file truncated at a chunk, inside one, or in its head', async () => {
  const start = firstChunkAt();
  const ends = [
    3,
    20,
    start - 20,
    start - 4,
    start,
    start + 100,
    start + CHUNK,
    start + 2 * CHUNK,
    whole.length - 1,
  ];
  for (const end of ends) {
    await expect(read(whole.subarray(0, end)), `at ${end}`).rejects.toMatchObject({
      code: expect.stringMatching(/^FILE_MALFORMED$/),
    });
  }
});

test('detects chunks that are reordered, repeated, or followed by other data', async () => {
  const start = firstChunkAt();
  const [first, second] = [
    whole.subarray(start, start + CHUNK),
    whole.subarray(start + CHUNK, start + 2 * CHUNK),
  ];
  const rest = whole.subarray(start + 2 * CHUNK);
  const front = whole.subarray(0, start);
  for (const bytes of [
    Buffer.concat([front, second, first, rest]),
    Buffer.concat([front, first, first, second, rest]),
    Buffer.concat([front, first, rest]),
    Buffer.concat([whole, Buffer.from('more')]),
    Buffer.concat([whole, first]),
  ]) {
    await expect(read(bytes)).rejects.toMatchObject(failsWith('FILE_MALFORMED'));
  }
});

test('detects any changed bit after the head', async () => {
  const start = firstChunkAt();
  for (let turn = 0; turn < 6; turn += 1) {
    const bytes = Buffer.from(whole);
    const at = start + Math.floor((turn / 6) * (bytes.length - start));
    bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << (turn % 8)), at);
    await expect(read(bytes), `byte ${at}`).rejects.toMatchObject(failsWith('FILE_MALFORMED'));
  }
});

test('a file that is not a pack, of a newer version, or with excessive work is rejected before any work', async () => {
  await expect(read(Buffer.from('PK\u0003\u0004 not this'))).rejects.toMatchObject(
    failsWith('FILE_MALFORMED'),
  );
  const length = whole.readUInt32BE(8);
  const head = JSON.parse(whole.toString('utf8', 12, 12 + length));
  const withHead = (changed: object) => {
    const json = Buffer.from(JSON.stringify({ ...head, ...changed }));
    const size = Buffer.alloc(4);
    size.writeUInt32BE(json.length);
    return Buffer.concat([whole.subarray(0, 8), size, json, whole.subarray(12 + length)]);
  };
  await expect(read(withHead({ version: 2, cipher: 'unknown' }))).rejects.toMatchObject(
    failsWith('FILE_NEWER'),
  );
  const dear = withHead({ kdf: { ...head.kdf, N: 2 ** 30 } });
  await expect(read(dear)).rejects.toMatchObject(failsWith('FILE_MALFORMED'));
  await expect(read(withHead({ prefix: '' }))).rejects.toMatchObject(failsWith('FILE_MALFORMED'));
});

test('a small file that unpacks to a huge one is not unpacked beyond its limit', async () => {
  const bomb = folder.file('bomb.pack');
  const zeros = '0'.repeat(1_000_000);
  await writePack(
    bomb,
    PASSPHRASE,
    Array.from({ length: 60 }, () => zeros),
  );
  const bytes = readFileSync(bomb);
  expect(bytes.length).toBeLessThan(200_000);
  await expect(read(bytes, PASSPHRASE, 1_000_000)).rejects.toMatchObject({
    code: 'FILE_MALFORMED',
    message: expect.stringContaining('contains more than it states'),
  });
  await writePack(bomb, PASSPHRASE, ['0'.repeat(90_000_000)], CHEAP);
  await expect(read(readFileSync(bomb), PASSPHRASE, 1e9)).rejects.toMatchObject(failsWith('FILE_MALFORMED'));
});

test('a failed write leaves the previous file, and nothing beside it', async () => {
  const target = folder.file('kept.pack');
  writeFileSync(target, 'as it was');
  const failing = function* () {
    yield 'one';
    throw new Error('the source failed');
  };
  await expect(writePack(target, PASSPHRASE, failing(), CHEAP)).rejects.toThrow('the source failed');
  expect(readFileSync(target, 'utf8')).toBe('as it was');
  // The file of a process that was killed while it wrote.
  writeFileSync(folder.file('.kept.pack.4194303.part'), 'half');
  await writePack(target, PASSPHRASE, ['one'], CHEAP);
  expect(readdirSync(folder.path).filter((name) => name.includes('.part'))).toEqual([]);
  await expect(writePack(folder.file('no/such/folder.pack'), PASSPHRASE, [], CHEAP)).rejects.toMatchObject(
    failsWith('FILE_NOT_FOUND'),
  );
});

test('deriving the key of a pack takes half a second, unless a test says otherwise', async () => {
  const usual = folder.file('usual.pack');
  await writePack(usual, PASSPHRASE, ['one']);
  const front = readFileSync(usual);
  const { kdf } = JSON.parse(front.subarray(12, 12 + front.readUInt32BE(8)).toString());
  expect(kdf).toMatchObject({ name: 'scrypt', N: 131_072, r: 8, p: 1 });
});

test('a full disk is named with the file that has no room, and leaves nothing behind', async () => {
  const target = folder.file('full.pack');
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  async function* lines() {
    yield LINES[0] ?? '';
    throw full;
  }
  await expect(writePack(target, PASSPHRASE, lines(), CHEAP)).rejects.toMatchObject({
    code: 'DISK_FULL',
    message: expect.stringContaining('The disk has no room for full.pack.'),
  });
  expect(readdirSync(folder.path).filter((name) => name.startsWith('full'))).toEqual([]);
});
