/** The electron part of `npm test`: tests that need Electron itself, if it is on this machine. Downloads nothing. */
import { findElectron } from './runtime.ts';
import { verifyPackage } from './test-package.ts';
import { type Counts, runPlaywright } from './test-runners.ts';

const CONFIG = 'test/playwright.config.ts';
/** The specs that exercise most of the runtime, for the short form. */
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
 * Runs every spec of the window and the packaged application on Electron; `isShort`: a selection that takes less than
 * four minutes. If there is not Electron, the full form fails and the short one is skipped with a message.
 */
export async function verifyElectron(isShort: boolean): Promise<Counts> {
  const found = findElectron(process.env);
  if ('missing' in found) {
    write(`${isShort ? 'skipped' : 'FAILED '} electron: ${found.missing}\n`);
    if (isShort) return { passed: 0, failed: 0, skipped: 1 };
    return { passed: 0, failed: 1, failures: [{ name: 'electron', message: found.missing }] };
  }
  write(`Electron ${found.version} of ${found.dist}\n`);
  // One window at a time, because a real one takes the focus from the others.
  const specs = await runPlaywright(CONFIG, ['--workers', '1', ...(isShort ? SHORT_SPECS : [])], {
    ELECTRON_OVERRIDE_DIST_PATH: found.dist,
  });
  return sum(specs, await verifyPackage());
}
