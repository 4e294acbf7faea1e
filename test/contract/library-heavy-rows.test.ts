/** Rows that are too heavy for one message: the window reads them in several, and none is missing. */
import { afterEach, expect, test } from 'vitest';
import { MESSAGE_BYTES } from '../../electron/shared/long-message.ts';
import type { ListQuery, RowPage, RowWindow } from '../../electron/shared/model.ts';
import { LibraryRig } from '../helpers/library-rig.ts';
import { ScriptedServer, sendPage } from '../helpers/scripted-server.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

const query: ListQuery = { operation: 'models.list', path: {}, query: {} };
/** Rows of 50 KB each, one of them in three-byte characters. The 8th alone exceeds a message. */
const heavy = Array.from({ length: 200 }, (_, at) => ({
  id: `m-${String(at).padStart(3, '0')}`,
  name: at % 2 === 0 ? `even ${at}` : `odd ${at}`,
  prompt: at === 7 ? 'x'.repeat(300_000) : (at === 9 ? '尺' : 'x').repeat(at === 9 ? 16_000 : 50_000),
}));

async function stored(items: readonly unknown[]): Promise<LibraryRig> {
  const server = await ScriptedServer.start((request, response) => sendPage(response, items, request));
  cleanUps.push(async () => server[Symbol.asyncDispose]());
  const rig = new LibraryRig(server.baseUrl);
  cleanUps.push(async () => rig[Symbol.asyncDispose]());
  await rig.read(query);
  return rig;
}

/** All answers for a part of a list, in the way in which the grid requests them. */
async function answersTo(rig: LibraryRig, window: Partial<RowWindow>): Promise<RowPage[]> {
  const whole = { offset: 0, limit: 200, sort: null, narrow: null, ...window };
  const answers: RowPage[] = [];
  for (let offset: number | undefined = whole.offset; offset !== undefined; ) {
    const limit = whole.offset + whole.limit - offset;
    const answer = await rig.library.readRows({ query, window: { ...whole, offset, limit } }, 'message');
    answers.push(answer);
    offset = answer.nextOffset;
  }
  return answers;
}

test.each<[string, Partial<RowWindow>, (typeof heavy)[number][]]>([
  ['in the order of the service', {}, heavy],
  ['from a place on', { offset: 5, limit: 40 }, heavy.slice(5, 45)],
  ['sorted', { sort: { field: 'id', isDescending: true } }, heavy.toReversed()],
  ['narrowed', { narrow: 'even' }, heavy.filter(({ name }) => name.startsWith('even'))],
])('rows %s arrive in messages of at most 100 KB, each of them once', async (_, window, expected) => {
  const rig = await stored(heavy);
  const answers = await answersTo(rig, window);
  const sizes = answers.map((answer) => Buffer.byteLength(JSON.stringify(answer)));
  // A record that is too long by itself is sent alone and in parts.
  const alone = answers.filter(({ rows }) => rows.length === 1 && rows[0]?.record['id'] === 'm-007');
  expect(sizes.filter((size) => size > MESSAGE_BYTES)).toHaveLength(alone.length);
  expect(answers.length).toBeGreaterThan(expected.length / 2);
  expect(answers.flatMap(({ rows }) => rows.map(({ record }) => record['id']))).toEqual(
    expected.map(({ id }) => id),
  );
  expect(new Set(answers.map(({ matchingRows }) => matchingRows)).size).toBe(1);
  // A caller in the same process receives all rows at once.
  const whole = await rig.rows(query, window);
  expect(whole.nextOffset).toBe(undefined);
  expect(whole.rows.map(({ record }) => record)).toEqual(expected);
});

test('rows of usual size take one message for each page of the grid', async () => {
  const rig = await stored(
    Array.from({ length: 100 }, (_, at) => ({ id: `m-${at}`, name: 'a', text: 'x'.repeat(700) })),
  );
  const answers = await answersTo(rig, { limit: 100 });
  expect(answers.map(({ rows }) => rows.length)).toEqual([100]);
});
