/** The environment of a program that a test starts in a separate process and kills. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { DataFolder } from './data-folder.ts';

/** The options of the program's command line; empty text for a missing one. */
export function givenOptions<N extends string>(...names: readonly N[]): Record<N, string> {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string', default: '' } as const]));
  return parseArgs({ options }).values as Record<N, string>;
}

/** A folder that remains when the program ends. */
export function lastingFolder(path: string): DataFolder {
  return { path, file: (name) => join(path, name), [Symbol.dispose]: () => undefined };
}

/** Reports progress to the test, which kills the program at a certain line. */
export const say = (word: string): boolean => process.stdout.write(`${word}\n`);

/** Runs `act`, and reports its sent requests and answers. */
export async function saying<T>(act: () => Promise<T>): Promise<T> {
  const answer = act();
  say('sent');
  const answered = await answer;
  say('answered');
  return answered;
}
