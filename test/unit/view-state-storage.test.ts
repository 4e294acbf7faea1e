/** Stored window state: pending changes are written before the window closes. */
import { describe, expect, test } from 'vitest';
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

describe('values that could not be read', () => {
  const draft = {
    form: 'baselines.new',
    tabId: '3',
    left: null,
    atMs: 1,
    value: { values: { name: 'month' } },
  };
  const stored = { tabs: ['kept'], views: ['one', 'two'] };

  /** The first `failures` readings fail. */
  function failing(failures: number) {
    const written: [string, string, unknown][] = [];
    let reads = 0;
    const storage = new ViewStateStorage({
      read: async (connectionId) => {
        reads += 1;
        if (reads <= failures) throw new Error('The connection cannot be opened.');
        return connectionId === 'a' ? stored : {};
      },
      write: async (...change) => {
        written.push(change);
      },
    });
    return { storage, written };
  }

  test('are not replaced, and an explicit change is refused', async () => {
    const { storage, written } = failing(1);
    let unwritten = 0;
    storage.onunwritten = () => {
      unwritten += 1;
    };
    await storage.load('a');
    expect(storage.isUnread).toBe(true);
    storage.set('tabs', ['new']);
    await storage.flush();
    await expect(storage.save('views', ['new'], 'a')).rejects.toThrowError(/could not be read/);
    expect(written).toEqual([]);
    expect(unwritten).toBe(2);
    expect(storage.isRefused('tabs')).toBe(true);
    // Neither while another connection is entered.
    await storage.load('b');
    await expect(storage.save('views', ['new'], 'a')).rejects.toThrowError(/could not be read/);
    storage.set('tabs', ['other']);
    await storage.flush();
    expect(written).toEqual([['b', 'tabs', ['other']]]);
  });

  test('are read later as they were stored; only drafts written meanwhile are added', async () => {
    const { storage, written } = failing(1);
    await storage.load('a');
    storage.set('tabs', ['new']);
    storage.set('draft.one', draft);
    await storage.flush();
    expect(await storage.canRead()).toBe(true);
    expect(storage.get('tabs')).toEqual(['new']);
    await storage.load('a');
    await storage.flush();
    expect([storage.isUnread, storage.get('tabs'), storage.get('views')]).toEqual([
      false,
      stored.tabs,
      stored.views,
    ]);
    expect(written).toEqual([['a', 'draft.one', draft]]);
    await storage.save('views', ['three'], 'a');
    expect(written).toHaveLength(2);
  });

  test('changes while they are being read wait for the result', async () => {
    const { storage, written } = failing(1);
    const loading = storage.load('a');
    storage.set('tabs', ['new']);
    await storage.flush();
    await loading;
    await storage.flush();
    expect(written).toEqual([]);
    const again = storage.load('a');
    storage.set('place', 1);
    void storage.flush();
    expect(written).toEqual([]);
    await again;
    await storage.flush();
    expect(written).toEqual([['a', 'place', 1]]);
  });
});
