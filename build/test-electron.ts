/** The electron part of `npm test`: tests that need Electron itself, if it is on this computer. Downloads nothing. */
import { findElectron } from './runtime.ts';
import { verifyPackage } from './test-package.ts';
import { type Counts, runPlaywright } from './test-runners.ts';

const CONFIG = 'test/playwright.config.ts';
/** The specs of the short form, which exercise most of the runtime. */
const SHORT_SPECS = ['electron-', 'host.spec', 'host-security', 'start.spec'];

const write = (text: string): void => void process.stdout.write(text);

function sum(first: Counts, second: Counts): Counts {
  return {
    passed: first.passed + second.passed,
    failed: first.failed + second.failed,
    skipped: (first.skipped ?? 0) + (second.skipped ?? 0),
    files: [...(first.files ?? []), ...(second.files ?? [])],
    failures: [...(first.failures ?? []), ...(second.failures ?? [])],
  };
}

/**
 * Runs all specs of the window and the packaged application on Electron. `isShort`: only a selection that takes less
 * than four minutes. Without Electron, the full form fails, and the short one is skipped with a message.
 */
export async function verifyElectron(isShort: boolean): Promise<Counts> {
  const found = findElectron(process.env);
  if ('missing' in found) {
    write(`${isShort ? 'skipped' : 'FAILED '} electron: ${found.missing}\n`);
    if (isShort) return { passed: 0, failed: 0, skipped: 1 };
    return { passed: 0, failed: 1, failures: [{ name: 'electron', message: found.missing }] };
  }
  write(`Electron ${found.version} of ${found.dist}\n`);
  // One window at a time, because a real window takes the focus from others.
  const specs = await runPlaywright(CONFIG, ['--workers', '1', ...(isShort ? SHORT_SPECS : [])], {
    ELECTRON_OVERRIDE_DIST_PATH: found.dist,
  });
  return sum(specs, await verifyPackage());
}
