/** Atomic changes of several stored secrets. */
import type { Keychain } from '../platform/keychain.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { entryText } from './keychain-entry.ts';
import type { TokenVault } from './token-vault.ts';

export interface SecretChange {
  /** Key in the keychain and in memory. */
  key: string;
  /** The new secret; null removes it. */
  value: string | null;
  /** The purpose of the secret, stored with it; for a token its origin. */
  purpose: string;
  isInKeychain: boolean;
  /** See `Held`; absent if the saved connection does not mention the secret. */
  entry?: string;
  /** The secret stays in memory and is only removed from the keychain. */
  isHeld?: boolean;
}

type Entries = Pick<Keychain, 'read' | 'write' | 'remove'>;

const put = (keychain: Entries, key: string, text: string | null): Promise<void> =>
  text === null ? keychain.remove(key) : keychain.write(key, text);

/**
 * Makes the changes in the keychain, writing before removing, and returns a function that restores the previous state.
 * If a change fails, the earlier ones are undone and its error is thrown.
 */
export async function changeKeychain(
  keychain: Entries,
  changes: readonly SecretChange[],
): Promise<() => Promise<void>> {
  const mine = changes.filter(({ isInKeychain }) => isInKeychain);
  const ordered = [
    ...mine.filter(({ value }) => value !== null),
    ...mine.filter(({ value }) => value === null),
  ];
  const before: { key: string; value: string | null }[] = [];
  const restore = async () => {
    for (const { key, value } of before.toReversed()) await put(keychain, key, value);
  };
  try {
    for (const { key, value, purpose } of ordered) {
      before.push({ key, value: await keychain.read(key) });
      await put(keychain, key, value === null ? null : entryText(purpose, value));
    }
  } catch (thrown) {
    // The entry whose change failed is unchanged.
    before.pop();
    await restore().catch((problem: unknown) => {
      const { code, message } = toAppError(thrown);
      throw new AppError(
        code,
        `${message} What the keychain held before could not be restored: ${toAppError(problem).message}`,
        { nextStep: 'Enter the token of this connection again.' },
        thrown,
      );
    });
    throw thrown;
  }
  return restore;
}

/** Makes the same changes in memory. */
export function changeVault(vault: TokenVault, changes: readonly SecretChange[]): void {
  for (const { key, value, purpose, entry = null, isHeld = false } of changes) {
    if (value !== null) vault.set(key, value, purpose, entry);
    else if (!isHeld) vault.remove(key);
  }
}
