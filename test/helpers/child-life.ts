/** The environment of a program that a test starts in a process of its own, to be killed. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { DataFolder } from './data-folder.ts';

/** The options of its command line; empty if one is missing. */
export function givenOptions<N extends string>(...names: readonly N[]): Record<N, string> {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string', default: '' } as const]));
  return parseArgs({ options }).values as Record<N, string>;
}

/** A folder that outlives it. */
export function lastingFolder(path: string): DataFolder {
  return { path, file: (name) => join(path, name), [Symbol.dispose]: () => undefined };
}

/** Reports progress to the test, which kills it at a certain line. */
export const say = (word: string): boolean => process.stdout.write(`${word}\n`);

/** Reports sent requests and answers. */
export async function saying<T>(act: () => Promise<T>): Promise<T> {
  const answer = act();
  say('sent');
  const answered = await answer;
  say('answered');
  return answered;
}
