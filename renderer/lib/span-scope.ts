/** A trace, a session or a single span in its own tab, and the title of the tab. Pure. */
import { cutText } from '../../electron/shared/cut-text.ts';
import { visible } from './read/visible.ts';

export interface SpanScope {
  kind: 'trace' | 'session' | 'span';
  id: string;
}

export const SCOPE_WORDS: Readonly<Record<SpanScope['kind'], string>> = {
  trace: 'Trace',
  session: 'Session',
  span: 'Span',
};

const MAX_TITLE = 80;
const MAX_ID = 16;

const MAX_SUFFIX = 8;

/** The title of a tab. If another tab with a different subject has the same title, the end of the id is added. */
export function distinctTitle(scope: SpanScope, named: string, taken: readonly string[]): string {
  const title = scopeTitle(scope, named);
  return taken.includes(title) ? `${title} · …${visible(scope.id.slice(-MAX_SUFFIX))}` : title;
}

/**
 * Returns the title of a tab: the first line of `named`, or the id if that is empty. Characters that change the
 * direction of text are replaced by symbols.
 */
export function scopeTitle({ kind, id }: SpanScope, named: string): string {
  const line = named.trim().split('\n', 1)[0] ?? '';
  return visible(line === '' ? `${SCOPE_WORDS[kind]} ${id.slice(0, MAX_ID)}` : cutText(line, MAX_TITLE));
}
