/** The expandable part of an error: all details that help to find the cause, without secrets. */
import type { WireError } from '../../electron/shared/errors.ts';
import { formatDuration } from './format.ts';

const OUTCOMES = {
  unsent: 'not sent',
  answered: 'sent and answered',
  unknown: 'sent; whether it arrived is not known',
} as const;

/** Name and value of each known detail, the most useful ones first. */
export function errorRows(error: WireError): [string, string][] {
  const { status, reason, operation, requestId, outcome, retryAfterMs, issues, file, line } = error.details;
  const rows: [string, string | undefined][] = [
    ['Code', error.code],
    ['Status', status === undefined ? undefined : String(status)],
    ['Reason', reason],
    ['Operation', operation],
    ['Request', requestId],
    ['Outcome', outcome === undefined ? undefined : OUTCOMES[outcome]],
    ['Asked to wait', retryAfterMs === undefined ? undefined : formatDuration(retryAfterMs)],
    ['File', file],
    ['Line', line === undefined ? undefined : String(line)],
    ...(issues ?? []).map(({ reason, message, help }, index): [string, string] => [
      `Issue ${index + 1}`,
      [reason, message, help].filter((part) => part !== undefined && part !== '').join(': '),
    ]),
  ];
  return rows.filter((row): row is [string, string] => row[1] !== undefined && row[1] !== '');
}

/** The same details as text, for the clipboard. */
export function errorReport(error: WireError): string {
  const lines = errorRows(error).map(([name, value]) => `${name}: ${value}`);
  return [`${error.title}: ${error.message}`, error.details.nextStep ?? '', ...lines]
    .filter((line) => line !== '')
    .join('\n');
}
