/** Finds the target of an action from typed text: an id, its beginning, or no text if there is only one candidate. */
import { AppError } from '../shared/errors.ts';
import type { CommandContext } from './context.ts';
import { didYouMean, isIdOrStart } from './suggestions.ts';

interface Choice<T> {
  all: readonly T[];
  idOf: (one: T) => string;
  /** The noun of the candidates, e.g. `upload`. */
  what: string;
  /** The plural, if it is not the noun with an s. */
  whats?: string;
  /** Why there may be no candidates; empty if it is obvious. */
  reason?: string;
  /** The command that lists the candidates, if it is a different one. */
  listedBy?: string;
}

/** The candidate with a typed id. Throws NOT_FOUND if no id matches, INVALID_ARGUMENT if several do. */
export function byId<T>(
  { args }: CommandContext,
  typed: string,
  { all, idOf, what, reason = '', listedBy = args.command }: Choice<T>,
): T {
  const found = all.filter((one) => isIdOrStart(idOf(one), typed));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (only !== undefined) {
    throw new AppError('INVALID_ARGUMENT', `${found.length} ids begin with ${typed}. Type more of the id.`);
  }
  throw new AppError(
    'NOT_FOUND',
    `No ${what} ${typed} on this connection${reason}. Run ${listedBy} for the list.`,
  );
}

/** Like `byId`, but without an id returns the only candidate. Throws INVALID_ARGUMENT if there are several or none. */
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
 * The action typed after the command; undefined if there is none. `actions`: the flags of each action. Throws
 * INVALID_ARGUMENT for an unknown action, and for a flag of another one.
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

/** Throws INVALID_ARGUMENT for a word that an action would ignore. `most`: number of words that may follow the action. */
export function checkWords({ args }: Pick<CommandContext, 'args'>, most: number): void {
  const { command, positionals } = args;
  const extra = positionals[1 + most];
  if (extra === undefined) return;
  const said = [command, ...positionals.slice(0, 1 + most)].join(' ');
  throw new AppError('INVALID_ARGUMENT', `${said} takes no further word, got ${extra}.`);
}

/** Throws INVALID_ARGUMENT for a flag that this action would silently ignore. */
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
