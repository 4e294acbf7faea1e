/** Closes the objects that a test opened, in reverse order. Must be called once at the top of a test file. */
import { afterEach } from 'vitest';

export function cleanUpAfterEach(): (cleanUp: () => unknown) => void {
  const cleanUps: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
  });
  return (cleanUp) => {
    cleanUps.push(cleanUp);
  };
}
