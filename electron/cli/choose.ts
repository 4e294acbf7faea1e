/** From what a person types after an action to what it is done with: an id, its beginning, or the only one there is. */
import { AppError } from '../shared/errors.ts';
import type { CommandContext } from './context.ts';
import { didYouMean } from './nearest.ts';

const SHORTEST_START = 6;

interface Choice<T> {
  all: readonly T[];
  idOf: (one: T) => string;
  /** In one word, e.g. `upload`. */
  what: string;
  /** Of several, where that is not its word with an s. */
  whats?: string;
  /** Why there may be none; empty where that is plain. */
  why?: string;
  /** The command that lists them, where it is another one. */
  listedBy?: string;
}

/** Throws NOT_FOUND where there is none of that id, INVALID_ARGUMENT where there are several. */
export function byId<T>(
  { args }: CommandContext,
  typed: string,
  { all, idOf, what, why = '', listedBy = args.command }: Choice<T>,
): T {
  const found = all.filter((one) => {
    const id = idOf(one);
    return id === typed || (typed.length >= SHORTEST_START && id.startsWith(typed));
  });
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (only !== undefined) {
    throw new AppError('INVALID_ARGUMENT', `${found.length} ids begin with ${typed}. Type more of the id.`);
  }
  throw new AppError(
    'NOT_FOUND',
    `No ${what} ${typed} on this connection${why}. Run ${listedBy} for the list.`,
  );
}

/** The same; without an id the only one that fits. Throws INVALID_ARGUMENT where there are more or none. */
export function byIdOrOnly<T>(
  context: CommandContext,
  [action, typed]: readonly (string | undefined)[],
  choice: Choice<T> & { fits: readonly T[] },
): T {
  if (typed !== undefined) return byId(context, typed, choice);
  const { fits, what, whats = `${what}s` } = choice;
  const [only] = fits;
  if (only !== undefined && fits.length === 1) return only;
  const { command } = context.args;
  const { listedBy = command } = choice;
  throw new AppError(
    'INVALID_ARGUMENT',
    `${command} ${action} expects an ID; ${fits.length} ${whats} fit. Run ${listedBy} for the list.`,
  );
}

/**
 * What follows the command; undefined where nothing does. `actions`: the flags that each takes. Throws
 * INVALID_ARGUMENT for any other action, and for a flag of another one.
 */
export function chosenAction<A extends string>(
  context: CommandContext,
  actions: Readonly<Record<A, readonly string[]>>,
): A | undefined {
  const { command, positionals } = context.args;
  const names = Object.keys(actions) as A[];
  const [typed] = positionals;
  const action = names.find((each) => each === typed);
  if (typed !== undefined && action === undefined) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `${command} expects ${names.join(', ')} or nothing, got ${typed}.${didYouMean(typed, names)}`,
    );
  }
  checkActionFlags(context, action, actions);
  return action;
}

/** Throws INVALID_ARGUMENT for a flag that this action does not take: it would be left out unseen. */
export function checkActionFlags<A extends string>(
  { args }: CommandContext,
  action: A | undefined,
  flags: Readonly<Partial<Record<A, readonly string[]>>>,
): void {
  const known = action === undefined ? [] : (flags[action] ?? []);
  const extra = args.given.find((flag) => !known.includes(flag));
  if (extra === undefined) return;
  const takers = Object.entries<readonly string[] | undefined>(flags).filter(([, own]) =>
    own?.includes(extra),
  );
  const names = takers.map(([name]) => `${args.command} ${name}`).join(', ');
  const said = action === undefined ? args.command : `${args.command} ${action}`;
  throw new AppError('INVALID_ARGUMENT', `${said} takes no --${extra}. It belongs to: ${names}.`);
}
