/** For code that never ends when it is broken: the test then fails by its name, instead of blocking the whole run. */
import { runInNewContext } from 'node:vm';

/** Far longer than any machine needs. */
const LONGEST_MS = 20_000;

/** The result of `act`; throws if it does not end by itself. Synchronous code only, expressions too. */
export function neverHangs<T>(act: () => T): T {
  const outcome: { value: T }[] = [];
  const run = (): void => {
    outcome.push({ value: act() });
  };
  runInNewContext('run()', { run }, { timeout: LONGEST_MS });
  const [ended] = outcome;
  if (ended === undefined) throw new Error('It did not run.');
  return ended.value;
}
