/** The lock of the window as the scenario requires. */
import type { ParsedArgs } from '../../../electron/shared/contract.ts';
import { AppError } from '../../../electron/shared/errors.ts';
import type { LockState } from '../../../electron/shared/lock-model.ts';
import { scenario } from './scenario.ts';

let passphrase: string | null = scenario.lock === undefined ? null : '2468';
const state: LockState = {
  isSet: passphrase !== null,
  isLocked: scenario.lock === 'locked' || scenario.lock === 'damaged',
  system: scenario.lock === undefined ? null : 'Touch ID',
  problem:
    scenario.lock === 'damaged'
      ? 'The file of the lock cannot be read: /home/mara/.config/Spandeck/lock.json. Quit, remove it, and set the lock again.'
      : null,
};

function expectRight(given: string | null): void {
  if (passphrase !== null && given !== passphrase) {
    throw new AppError('PASSPHRASE_WRONG', 'Wrong passphrase. Try again.');
  }
}

export function lock(asked: ParsedArgs<'lock:act'>): LockState | null {
  switch (asked.action) {
    case 'look':
      return { ...state };
    case 'set':
      expectRight(asked.current);
      passphrase = asked.passphrase;
      state.isSet = true;
      return { ...state };
    case 'remove':
      expectRight(asked.current);
      passphrase = null;
      state.isSet = false;
      return { ...state };
    case 'lock':
      return { ...state };
    case 'open':
      expectRight(asked.passphrase);
      state.isLocked = false;
      return { ...state };
    case 'open-by-system':
      throw new AppError('LOCKED', 'The system did not confirm who you are. Enter the passphrase.');
    case 'active':
      return null;
  }
}
