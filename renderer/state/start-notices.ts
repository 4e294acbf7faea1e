/** Notices of the window about its start, its tabs, and reading what is stored for a connection. */
import type { BrokenRun, WindowCrash } from '../../electron/shared/contract.ts';
import { formatStamp } from '../lib/format.ts';
import { endNotice, toast, toastError } from './toast.ts';

export function sayCrash({ reason }: WindowCrash): void {
  toast(`The window crashed (${reason}) and was opened again`, {
    description: 'Tabs and drafts were restored. Uploads and other jobs continued.',
    duration: Number.POSITIVE_INFINITY,
    closeButton: true,
  });
}

/** Shows a notice until it is dismissed, because the information is shown nowhere else. */
export function sayNotice(notice: string): void {
  toast('About your stored data', {
    description: notice,
    duration: Number.POSITIVE_INFINITY,
    closeButton: true,
  });
}

export function sayBrokenRun({ startedAtMs, failure }: BrokenRun): void {
  const run = startedAtMs === null ? 'The last run' : `The run of ${formatStamp(startedAtMs)}`;
  const reason = failure ?? 'It was ended from outside, or the computer shut down.';
  toast(`${run} was not closed`, {
    description: `${reason} Stored data is kept, and jobs continue.`,
    duration: 20_000,
  });
}

let wasCrowded = false;

/** Says once that a tab was closed because too many were open. */
export function sayCrowded(mostTabs: number, reopen: () => void): void {
  if (wasCrowded) return;
  wasCrowded = true;
  toast(`More than ${mostTabs} tabs are open, so one that was not used was closed`, {
    description: 'Only previews of the sidebar close, never tabs you changed or kept open.',
    action: { label: 'Reopen', onClick: reopen },
  });
}

const UNREAD_ID = 'layout-unread';

/** Tells the user that nothing is restored or stored in the entered connection. */
export function sayUnread(): void {
  toastError('Tabs, saved views and charts of this connection could not be read', {
    id: UNREAD_ID,
    description: 'They are kept. Until they can be read, changes to them are not stored.',
    duration: Number.POSITIVE_INFINITY,
    closeButton: true,
  });
}

/** Ends that notice, because its connection is left. */
export function endUnread(): void {
  endNotice(UNREAD_ID);
}

/** Replaces that notice. */
export function sayRead(): void {
  toast('Tabs, saved views and charts of this connection were read', { id: UNREAD_ID, duration: 5_000 });
}
