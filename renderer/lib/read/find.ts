/** Searches in displayed content: by text, or by a regular expression between slashes. Pure. */
import { AppError } from '../../../electron/shared/errors.ts';
import { createFinder, createMatcher, type Finder } from '../../../electron/shared/text-filter.ts';

export interface Search {
  /** Whether a text, or the name of a field, matches. */
  isHit: (text: string) => boolean;
  /** Positions of the matches. */
  places: Finder;
  /** The reason why the input is not a valid search, in which case everything matches. */
  problem: string | null;
}

const NONE = () => [];
const EVERYTHING: Search = { isHit: () => true, places: NONE, problem: null };

/** An empty search and an incomplete expression match everything. */
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
