import type { AppLock } from '../platform/app-lock.ts';
import type { WindowLock } from '../platform/window-lock.ts';
import { byAction, type HandlersOf } from './handler-deps.ts';

/** The lock itself rejects actions without a passphrase while the window is locked. */
export function lockHandlers({
  lock,
  windowLock,
}: {
  lock: AppLock;
  windowLock: WindowLock;
}): HandlersOf<'lock'> {
  const answer = async (work: Promise<void>) => {
    await work;
    windowLock.active();
    return lock.state();
  };
  return {
    'lock:act': byAction<'lock:act'>({
      look: () => lock.state(),
      set: ({ passphrase, current }) => answer(lock.set(passphrase, current)),
      remove: ({ current }) => answer(lock.remove(current)),
      lock: () => {
        windowLock.lockNow();
        return lock.state();
      },
      open: ({ passphrase }) => answer(lock.open(passphrase)),
      'open-by-system': () => answer(lock.openBySystem()),
      active: () => {
        windowLock.active();
        return null;
      },
    }),
  };
}
