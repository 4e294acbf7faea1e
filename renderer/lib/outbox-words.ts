/** Texts about changes in the outbox. Pure. */
import type { OutboxEntry, OutboxQuestion } from '../../electron/shared/outbox-model.ts';
import { formatCount } from './format.ts';

/** The choices for a question, and their effects. */
export const QUESTION_HINTS: Readonly<Record<OutboxQuestion, string>> = {
  changed: 'Compare the columns. Send yours, keep what the service has, or send a merged body.',
  unseen: 'This record was not stored here when you made the change. Compare before you send.',
  gone: 'There is nothing left to change. Discard it, or create the record again.',
  exists: 'Compare it with yours. Sending yours makes a second one, or is refused.',
  'no-answer': 'Check the list of the service, then choose whether it was done.',
  'need-gone': 'Put another record into its body, or discard it.',
  'need-unknown': 'Look up the ID of that record and put it into the body, or discard this change.',
};

/** Text of the button that sends the change anyway. */
export function sendVerb({ question, change }: Pick<OutboxEntry, 'question' | 'change'>): string {
  if (question === null) return 'Send';
  if (question === 'no-answer') return 'Send again';
  return change === 'delete' ? 'Delete anyway' : 'Send mine';
}

export const END_WORDS: Readonly<Record<NonNullable<OutboxEntry['result']>['how'], string>> = {
  sent: 'Sent and answered',
  found: 'The answer was lost; the service shows that it was done',
  same: 'The service had it already; nothing was sent',
  said: 'Marked as done',
};

/** Counts for the heading: `3 changes not sent · 1 needs a decision`. */
export function outboxCounts(entries: readonly OutboxEntry[]): string {
  const waiting = entries.filter(waits).length;
  const open = entries.filter(({ state }) => state === 'needs-decision').length;
  const said = `${formatCount(waiting, 'change')} not sent`;
  return open === 0 ? said : `${said} · ${open} ${open === 1 ? 'needs' : 'need'} a decision`;
}

/** Whether the entry is still to be sent or discarded. */
export function waits({ state }: OutboxEntry): boolean {
  return state !== 'done' && state !== 'cancelled';
}

/** Whether the entry concerns the record with this id. */
export function isAbout({ request }: OutboxEntry, id: string): boolean {
  return Object.values(request.path).includes(id);
}

/** Pending changes of one record in a word: `Edit`, `Deletion`, `2 changes`. */
function waitingWord(entries: readonly OutboxEntry[]): string {
  if (entries.some(({ change }) => change === 'delete')) return 'Deletion';
  return entries.length === 1 ? 'Edit' : formatCount(entries.length, 'change');
}

/** `An edit of this record waits in the outbox.` Empty if there are no changes. */
export function recordNote(entries: readonly OutboxEntry[]): string {
  if (entries.length === 0) return '';
  const only = entries.length === 1 ? entries[0]?.change : undefined;
  if (only === 'delete') return 'The deletion of this record waits in the outbox.';
  if (only === 'update') return 'An edit of this record waits in the outbox.';
  const said = formatCount(entries.length, 'change');
  return `${said} of this record ${entries.length === 1 ? 'waits' : 'wait'} in the outbox.`;
}

interface WaitingOfList {
  /** Text for each changed record, by record id. */
  words: ReadonlyMap<string, string>;
  /** Changes that add a record to the list. */
  made: readonly OutboxEntry[];
}

/** Pending changes for the records listed by an operation, e.g. `datasets.list`. */
export function waitingOfList(entries: readonly OutboxEntry[], operation: string): WaitingOfList {
  const [resource = '', verb] = operation.split('.');
  const own = entries.filter((entry) => waits(entry) && entry.request.operation.startsWith(`${resource}.`));
  const ofRecords = own.filter(({ change }) => change === 'update' || change === 'delete');
  const byRecord = Map.groupBy(ofRecords, ({ request }) => Object.values(request.path).at(-1) ?? '');
  return {
    words: new Map([...byRecord].map(([id, all]) => [id, waitingWord(all)])),
    made: verb === 'list' ? own.filter(({ change }) => change === 'create') : [],
  };
}

/** The value of a field as text; empty if it is absent. */
export function valueText(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
