/** Unsent form input that is stored on this computer. Pure. */
import { isObject, type JsonObject } from './records.ts';

interface DraftTab {
  kind: string;
  title: string;
  params: Readonly<Record<string, string>>;
}

export interface KeptDraft {
  id: string;
  /** Identifies the form: a new instance of the same form is offered the draft. */
  form: string;
  /** The tab that has the draft, or had it last; empty if no tab has it any more. */
  tabId: string;
  /** Set after the tab was closed: the data to reopen it. */
  left: DraftTab | null;
  /** Time of the last change. */
  atMs: number;
  value: JsonObject;
}

/** Prefix of draft ids in the stored state of a connection. */
export const DRAFT_PREFIX = 'draft.';
/** Maximum length of a draft: one message to the main process is limited to about 100 KB, the whole layout to 1 MB. */
export const MAX_CHARS = 90_000;
/** Maximum number of drafts of closed tabs; the oldest is removed first. */
export const MAX_LEFT = 12;

/** A key such as `"api_key":`, also inside a text that itself is JSON. */
const SECRET_KEY = /(?:pass(?:word|phrase)|secret|token|api[-_]?key|authorization|private[-_]?key)\\*"\s*:/i;

/** The reason why this draft cannot be stored; null if it can. */
export function notKeptReason(value: JsonObject): string | null {
  const text = JSON.stringify(value);
  if (text.length > MAX_CHARS) return 'It is longer than a draft can be (about 90 KB).';
  if (SECRET_KEY.test(text)) return 'A field is named like a password or key, which is not written to disk.';
  return null;
}

/** Reads a stored draft; null if it is not a draft. */
export function readDraft(id: string, stored: unknown): KeptDraft | null {
  if (!isObject(stored)) return null;
  const { form, tabId, left, atMs, value } = stored;
  if (typeof form !== 'string' || typeof atMs !== 'number' || !isObject(value)) return null;
  return { id, form, tabId: typeof tabId === 'string' ? tabId : '', left: readTab(left), atMs, value };
}

function readTab(value: unknown): DraftTab | null {
  if (!isObject(value)) return null;
  const { kind, title, params } = value;
  if (typeof kind !== 'string' || typeof title !== 'string' || !isObject(params)) return null;
  const texts = Object.entries(params).filter(
    (each): each is [string, string] => typeof each[1] === 'string',
  );
  return { kind, title, params: Object.fromEntries(texts) };
}

/** The drafts after a start: a draft whose tab was not restored is assigned to no tab. */
export function atStart(drafts: readonly KeptDraft[], openTabs: ReadonlySet<string>): KeptDraft[] {
  return drafts.map((draft) =>
    draft.left === null && openTabs.has(draft.tabId) ? draft : { ...draft, tabId: '' },
  );
}

const isLoose = (draft: KeptDraft) => draft.left !== null || draft.tabId === '';

/** Drafts of the same form that no open tab has, newest first: the user can resume them in this tab. */
export function offersOf(drafts: readonly KeptDraft[], form: string, tabId: string): KeptDraft[] {
  return drafts
    .filter((draft) => draft.form === form && draft.tabId !== tabId && isLoose(draft))
    .toSorted((a, b) => b.atMs - a.atMs);
}

/** The drafts without an open tab that exceed the limit, the oldest ones. */
export function beyondMost(drafts: readonly KeptDraft[]): KeptDraft[] {
  return drafts
    .filter(isLoose)
    .toSorted((a, b) => b.atMs - a.atMs)
    .slice(MAX_LEFT);
}
