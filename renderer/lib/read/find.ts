/** Finding inside what is read: a text, or a regular expression between slashes. Pure. */
import { AppError } from '../../../electron/shared/errors.ts';
import { createFinder, createMatcher, type Finder } from '../../../electron/shared/narrowing.ts';

export interface Search {
  /** Does a name or a text have it? */
  isHit: (text: string) => boolean;
  /** Where it stands. */
  places: Finder;
  /** Why what is typed cannot be searched for: then everything is a hit. */
  problem: string | null;
}

const NONE = () => [];
const EVERYTHING: Search = { isHit: () => true, places: NONE, problem: null };

/** Everything is a hit of an empty search, and of an expression that is not finished. */
export function searchFor(typed: string): Search {
  const wanted = typed.trim();
  if (wanted === '' || wanted === '/') return EVERYTHING;
  try {
    return { isHit: createMatcher(wanted), places: createFinder(wanted), problem: null };
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    return { ...EVERYTHING, problem: thrown.message };
  }
}
