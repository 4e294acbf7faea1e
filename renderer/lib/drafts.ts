/** What is typed into forms and sent nowhere yet, as it is kept on this computer. Pure. */
import { isObject, type JsonObject } from './records.ts';

interface DraftTab {
  kind: string;
  title: string;
  params: Readonly<Record<string, string>>;
}

export interface KeptDraft {
  id: string;
  /** Which form: the same one, opened again, is offered it. */
  form: string;
  /** The tab it is typed in, or was; empty where no tab has it any more. */
  tabId: string;
  /** That tab, once it was closed: what opens it again. */
  left: DraftTab | null;
  /** When it was changed last. */
  atMs: number;
  value: JsonObject;
}

/** Before the ids of drafts among what is kept of a connection. */
export const DRAFT_PREFIX = 'draft.';
/** The whole layout has 1 MB, and one message to the main process about 100 KB. */
export const MOST_CHARS = 90_000;
/** Of closed tabs; what was left longest ago goes first. */
export const MOST_LEFT = 12;

/** `"api_key":`, also inside a text that is JSON itself. */
const SECRET_KEY = /(?:pass(?:word|phrase)|secret|token|api[-_]?key|authorization|private[-_]?key)\\*"\s*:/i;

/** Why this cannot be kept, in words; null where it can. */
export function whyNotKept(value: JsonObject): string | null {
  const text = JSON.stringify(value);
  if (text.length > MOST_CHARS) return 'It is longer than a draft can be (about 90 KB).';
  if (SECRET_KEY.test(text)) return 'A field is named like a password or key, which is not written to disk.';
  return null;
}

/** A draft as it was written; null for anything else. */
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

/** Drafts as they are after a start: those whose tab did not come back belong to none. */
export function atStart(drafts: readonly KeptDraft[], openTabs: ReadonlySet<string>): KeptDraft[] {
  return drafts.map((draft) =>
    draft.left === null && openTabs.has(draft.tabId) ? draft : { ...draft, tabId: '' },
  );
}

const isLoose = (draft: KeptDraft) => draft.left !== null || draft.tabId === '';

/** What may be gone on with in a form of a tab, newest first: drafts of the same form that no open tab has. */
export function offersOf(drafts: readonly KeptDraft[], form: string, tabId: string): KeptDraft[] {
  return drafts
    .filter((draft) => draft.form === form && draft.tabId !== tabId && isLoose(draft))
    .toSorted((a, b) => b.atMs - a.atMs);
}

/** Closed ones beyond what is kept. */
export function beyondMost(drafts: readonly KeptDraft[]): KeptDraft[] {
  return drafts
    .filter(isLoose)
    .toSorted((a, b) => b.atMs - a.atMs)
    .slice(MOST_LEFT);
}
