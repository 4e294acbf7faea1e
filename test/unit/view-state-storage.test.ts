/** Stored window state: pending changes are written before the window closes. */
import { expect, test } from 'vitest';
import { ViewStateStorage } from '../../renderer/state/view-state-storage.ts';

function setUp() {
  const written: string[] = [];
  const answers: PromiseWithResolvers<void>[] = [];
  const storage = new ViewStateStorage({
    read: async () => ({}),
    write: (_connectionId, key) => {
      written.push(key);
      const answer = Promise.withResolvers<void>();
      answers.push(answer);
      return answer.promise;
    },
  });
  return { storage, written, answers };
}
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('a flush writes pending changes at once, and ends when they and earlier writes are answered', async () => {
  const { storage, written, answers } = setUp();
  await storage.load('a');
  let ended = 0;
  const flush = () => void storage.flush().then(() => (ended += 1));
  storage.set('tabs', 1);
  flush();
  storage.set('places', 2);
  flush();
  expect(written).toEqual(['tabs', 'places']);
  answers[1]?.resolve();
  await turn();
  expect(ended).toBe(0);
  answers[0]?.reject(new Error('too large'));
  await turn();
  expect([ended, storage.isRefused('tabs'), storage.isRefused('places')]).toEqual([2, true, false]);
  await storage.flush();
});
