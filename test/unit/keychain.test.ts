/** The keychain with a library that hangs, fails or loses entries. The e2e tests use the real library. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createKeychain, type Keytar } from '../../electron/platform/keychain.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A fake library whose answers come from the test. */
class HandKeytar implements Keytar {
  readonly calls: string[] = [];
  readonly #answers: ((value: string | null) => void)[] = [];

  getPassword(_service: string, account: string): Promise<string | null> {
    this.calls.push(`get ${account}`);
    return new Promise((resolve) => this.#answers.push(resolve));
  }

  setPassword(_service: string, account: string): Promise<void> {
    this.calls.push(`set ${account}`);
    return Promise.resolve();
  }

  deletePassword(): Promise<boolean> {
    return Promise.resolve(true);
  }

  answer(value: string | null): void {
    this.#answers.shift()?.(value);
  }
}

function setUp() {
  const library = new HandKeytar();
  return { library, keychain: createKeychain('linux', () => Promise.resolve(library)) };
}

test('a keychain that hangs is given up after a minute, long enough to answer the system, and blocks one thread for any number of reads', async () => {
  const { library, keychain } = setUp();
  const late = expect(
    Promise.all(['a', 'b', 'c'].map((id) => keychain.read(id).catch(({ code }) => code))),
  ).resolves.toEqual(['KEYCHAIN_UNAVAILABLE', 'KEYCHAIN_UNAVAILABLE', 'KEYCHAIN_UNAVAILABLE']);
  await vi.advanceTimersByTimeAsync(59_000);
  expect(library.calls).toEqual(['get a']);
  expect(keychain.isWaiting()).toBe(true);
  await vi.advanceTimersByTimeAsync(1_000);
  await late;
  expect(library.calls).toEqual(['get a']);
  expect(keychain.isBusy()).toBe(true);
  const again = keychain.read('d');
  library.answer(null);
  await vi.advanceTimersByTimeAsync(0);
  // Reads that were given up are not sent any more.
  expect(library.calls).toEqual(['get a', 'get d']);
  library.answer('token of d');
  expect(await again).toBe('token of d');
  expect(keychain.isBusy()).toBe(false);
});

test('a keychain that accepts a token and does not return it is not trusted', async () => {
  const { library, keychain } = setUp();
  const written = expect(keychain.write('a', 'secret-token')).rejects.toMatchObject({
    code: 'KEYCHAIN_FAILED',
    message: expect.not.stringContaining('secret-token'),
  });
  await vi.advanceTimersByTimeAsync(0);
  library.answer(null);
  await written;
});

test('a library that does not load is reported with the expected one', async () => {
  const keychain = createKeychain('linux', () => Promise.reject(new Error('libsecret-1.so.0: not found')));
  expect(await keychain.status()).toMatchObject({
    isAvailable: false,
    backend: 'none',
    reason: expect.stringContaining('libsecret-1-0'),
  });
});

test('waiting longer than a second for permission is reported, until permission is given', async () => {
  const { library, keychain } = setUp();
  const heard: boolean[] = [];
  keychain.onWaiting(() => heard.push(keychain.isWaiting()));
  const quick = keychain.read('a');
  await vi.advanceTimersByTimeAsync(900);
  library.answer(null);
  await quick;
  const asked = keychain.read('b');
  const other = keychain.read('c');
  await vi.advanceTimersByTimeAsync(30_000);
  expect(heard).toEqual([true]);
  library.answer('token of b');
  expect(await asked).toBe('token of b');
  expect(heard).toEqual([true]);
  library.answer('token of c');
  expect(await other).toBe('token of c');
  expect(heard).toEqual([true, false]);
});
