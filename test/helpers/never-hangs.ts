/**
 * For code that would never end if it were broken: the test then fails by its name, instead of blocking the whole run.
 */
import { runInNewContext } from 'node:vm';

/** Maximum time in ms, far longer than any machine needs. */
const LONGEST_MS = 20_000;

/**
 * The result of `act`. Throws if `act` does not end by itself. Only for synchronous code, including regular
 * expressions.
 */
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
