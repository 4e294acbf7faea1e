/**
 * Messages between the window and the main process that exceed the limit: their parts, their order, and evicted
 * messages.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { MessageQueue } from '../../electron/ipc/message-queue.ts';
import { parseArgument } from '../../electron/ipc/parse-argument.ts';
import { MESSAGE_BYTES } from '../../electron/shared/long-message.ts';
import { utf8Bytes } from '../../electron/shared/record-parts.ts';
import { createMessages } from '../../renderer/lib/messages.ts';

/** Both ends of the connection between the processes, which measures the size of every message. */
function wire() {
  const held = new MessageQueue();
  const sizes: number[] = [];
  const weigh = <T>(message: T): T => {
    if (message !== undefined) sizes.push(Buffer.byteLength(JSON.stringify(message)));
    return structuredClone(message);
  };
  /** Promises for which the answers with parts wait. */
  const gates: Promise<unknown>[] = [];
  const failures: unknown[] = [];
  const messages = createMessages(
    async (channel, argument) => {
      const given = weigh(argument) as { id: number; from: number; part: string };
      if (channel === 'app:add-part') {
        held.add(given.id, given.from, given.part);
        return null;
      }
      await Promise.all(gates);
      return weigh(held.read(given.id, given.from));
    },
    (problem) => failures.push(problem),
  );
  return { held, failures, messages, sizes, gates, toWindow: (value: unknown) => weigh(held.pack(value)) };
}

const LONG_VALUES: [string, unknown][] = [
  ['many rows', Array.from({ length: 3_000 }, (_, at) => ({ id: `row-${at}`, name: `Größe 尺寸 ${at}` }))],
  ['one text of three-byte characters', '尺'.repeat(400_000)],
  ['one text of characters in two halves', '😀'.repeat(90_001)],
  ['what JSON writes longer than it is', '\u0001"\\'.repeat(50_000)],
  ['just over the limit', 'x'.repeat(MESSAGE_BYTES)],
];

test.each(LONG_VALUES)(
  'an answer of %s arrives complete, in messages of at most 100 KB',
  async (_, value) => {
    const { messages, sizes, toWindow } = wire();
    expect(await messages.whole(toWindow(value))).toEqual(value);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(MESSAGE_BYTES);
    expect(sizes.length).toBeGreaterThan(2);
  },
);

test.each(LONG_VALUES)('an argument of %s arrives complete, in messages of at most 100 KB', (_, value) => {
  const { held, messages, sizes } = wire();
  const sent = messages.argument({ value });
  sizes.push(Buffer.byteLength(JSON.stringify(sent)));
  expect(held.unpack(structuredClone(sent))).toEqual({ value });
  expect(Math.max(...sizes)).toBeLessThanOrEqual(MESSAGE_BYTES);
});

test.each([
  '',
  'plain',
  'Größe',
  '尺寸',
  '😀 and 😀',
  '\ud83d',
  'x\ude00y',
  '\ud83d\ud83d\ude00',
  '\u007f\u0080\u07ff\u0800\uffff',
])('the bytes of %j are counted as sent', (text) => expect(utf8Bytes(text)).toBe(Buffer.byteLength(text)));

test('a value within the limit is one unchanged message', async () => {
  const { held, messages, toWindow } = wire();
  const value = { rows: ['x'.repeat(MESSAGE_BYTES - 1_000)], none: undefined };
  expect(toWindow(value)).toEqual(value);
  expect(await messages.whole(value)).toBe(value);
  expect(messages.argument(undefined)).toBe(undefined);
  expect(held.unpack(messages.argument({ a: 1 }))).toEqual({ a: 1 });
});

test('an event that arrives in parts delays later events and answers', async () => {
  const { messages, gates, failures, toWindow } = wire();
  const gate = Promise.withResolvers<void>();
  gates.push(gate.promise);
  const told: unknown[] = [];
  const note = (payload: unknown) => told.push(typeof payload === 'string' ? payload.length : payload);
  messages.deliver('first', note);
  expect(told).toEqual([5]);
  messages.deliver(toWindow('x'.repeat(200_000)), note);
  messages.deliver({ at: 'third' }, note);
  const answer = Promise.resolve(messages.whole({ at: 'answer' })).then(note);
  messages.deliver({ at: 'last' }, note);
  await Promise.resolve();
  expect(told).toEqual([5]);
  gate.resolve();
  await answer;
  expect(told.slice(0, 3)).toEqual([5, 200_000, { at: 'third' }]);
  expect(told).toHaveLength(5);
  await messages.whole('all taken');
  messages.deliver('at once again', note);
  expect(failures).toEqual([]);
  expect(told.at(-1)).toBe(13);
});

test('an evicted answer is a failure, an evicted event is skipped, and later events are delivered', async () => {
  const { held, messages } = wire();
  const told: unknown[] = [];
  const gone = { spandeckParts: { id: 99, characters: 50_000, begin: 'x' } };
  await expect(Promise.resolve(messages.whole(gone))).rejects.toMatchObject({ code: 'INTERNAL' });
  messages.deliver(gone, (payload) => told.push(payload));
  await messages.whole('after');
  expect(told).toEqual([]);
  expect(held.read(99, 0)).toBe(null);
});

test('the oldest are evicted before the memory is full; a message read to its end is released', () => {
  const held = new MessageQueue();
  const ids = Array.from({ length: 3 }, () => {
    const packed = held.pack('x'.repeat(30_000_000)) as { spandeckParts: { id: number } };
    return packed.spandeckParts.id;
  });
  expect(ids.map((id) => held.read(id, 0) !== null)).toEqual([false, true, true]);
  const [, second = 0] = ids;
  expect(held.read(second, 29_999_999)).toBe('xx"');
  expect(held.read(second, 0)).toBe(null);
});

test('parts of an argument that are out of order are rejected, and so is an incomplete argument', () => {
  const { held } = wire();
  const long = (id: number, characters: number) => ({ spandeckParts: { id, characters, begin: '' } });
  held.add(1, 0, '"ab');
  expect(() => held.add(1, 7, 'x')).toThrow('do not follow');
  expect(() => held.unpack(long(1, 3))).toThrow('missing');
  // Parts that a reloaded window left behind do not get into its next message.
  held.add(1, 0, '"left');
  held.add(1, 0, '"ne');
  held.add(1, 3, 'w"');
  expect(held.unpack(long(1, 5))).toBe('new');
  expect(() => held.unpack(long(1, 5))).toThrow('missing');
});

test.each([
  ['text that is not JSON', { spandeckParts: { id: 1, characters: 5, begin: 'nope!' } }],
  ['another length', { spandeckParts: { id: 1, characters: -1, begin: '1' } }],
  ['half a form', { spandeckParts: { id: 1 } }],
  ['nothing', { spandeckParts: null }],
])(
  'an argument whose parts are %s is rejected as an invalid argument, not reported as a fault of the program',
  (_, argument) => {
    const { held } = wire();
    const taken = () => parseArgument('app:save-file', held.unpack(argument));
    expect(taken).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
  },
);

test('a part that does not follow ends only its own argument', () => {
  const held = new MessageQueue();
  held.add(1, 0, '"ot');
  held.add(2, 0, '"ab');
  expect(() => held.add(2, 7, 'x')).toThrow('do not follow');
  held.add(1, 3, 'her"');
  expect(held.unpack({ spandeckParts: { id: 1, characters: 7, begin: '' } })).toBe('other');
  expect(() => held.unpack({ spandeckParts: { id: 2, characters: 3, begin: '' } })).toThrow('missing');
});

test('only the newest unfinished arguments are kept, whatever their number', () => {
  const { held } = wire();
  const long = (id: number) => ({ spandeckParts: { id, characters: 4, begin: '' } });
  for (let id = 1; id <= 40_000; id += 1) held.add(id, 0, '"ab"');
  expect(held.unpack(long(40_000))).toBe('ab');
  expect(() => held.unpack(long(39_000))).toThrow('missing');
  expect(() => held.add(39_000, 4, 'x')).toThrow('do not follow');
});

test('memory of finished arguments is free again: the limit is on unfinished ones', () => {
  const held = new MessageQueue();
  const half = 'x'.repeat(33_000_000);
  for (const id of [1, 2, 3]) {
    held.add(id, 0, half);
    // The first message is finished, the second is restarted, and the third remains incomplete.
    if (id === 1) expect(() => held.unpack({ spandeckParts: { id, characters: 1, begin: '' } })).toThrow();
    if (id === 2) held.add(id, 0, 'y');
  }
  expect(() => held.add(4, 0, half)).toThrow('too long');
});

test.each(['../../.bashrc', '..', '.', 'a/b.png', 'C:\\x.png', 'a\nb.png', ''])(
  'the file name %j is not proposed to a person who saves: it is not a plain name',
  (fileName) => {
    const argument = { fileName, base64: 'AA==' };
    expect(() => parseArgument('app:save-file', argument)).toThrow(/fileName was not accepted/);
    expect(parseArgument('app:save-file', { ...argument, fileName: 'Größe ..1.png' })).toBeTruthy();
  },
);

test('every channel to the window measures its messages', () => {
  const root = resolve(import.meta.dirname, '../../electron');
  const ways = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) =>
      readFileSync(join(root, name), 'utf8')
        .split('\n')
        .filter((line) => /webContents\.send\(|\bok: true,.* value:|\.postMessage\(.*webContents/.test(line))
        .map((line) => [name.replaceAll('\\', '/'), line.includes('messages.pack(')]),
    )
    .filter(([name]) => name !== 'shared/contract.ts');
  expect(ways).toEqual([
    ['ipc/register.ts', true],
    ['ipc/register.ts', true],
  ]);
});
