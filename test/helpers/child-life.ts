/** What a program has that a test starts in a process of its own, to be killed. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { DataFolder } from './data-folder.ts';

/** The options of its command line; empty where one is not given. */
export function givenOptions<N extends string>(...names: readonly N[]): Record<N, string> {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string', default: '' } as const]));
  return parseArgs({ options }).values as Record<N, string>;
}

/** A folder that outlives it. */
export function lastingFolder(path: string): DataFolder {
  return { path, file: (name) => join(path, name), [Symbol.dispose]: () => undefined };
}

/** Tells the test how far it is: it is killed at a word. */
export const say = (word: string): boolean => process.stdout.write(`${word}\n`);

/** Says what leaves, and what was answered. */
export async function saying<T>(act: () => Promise<T>): Promise<T> {
  const answer = act();
  say('sent');
  const answered = await answer;
  say('answered');
  return answered;
}
