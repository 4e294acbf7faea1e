/** The cause of a request, derived from its group. Pure. */

type Cause =
  | { kind: 'tab'; tabId: string }
  | { kind: 'upload' | 'file' | 'deletion' | 'build' | 'scores' | 'job' | 'bulk'; id: string }
  | { kind: 'act'; operation: string }
  | { kind: 'named'; text: string }
  | { kind: 'none' };

const NAMED: Readonly<Record<string, string>> = {
  'network probe': 'Check of the connection',
  'connection test': 'Connection test',
  'command line': 'The command line',
  time: 'The service’s time',
  ahead: 'Preloading',
};
const BY_ID = /^(upload|file|deletion|build|scores|job|bulk) (\S+)$/;

/**
 * The cause by the group's name. The sender of a request names its group: `tab-3.entities` for views, `upload ID` for
 * uploads, and so on.
 */
export function causeOf(group: string): Cause {
  const tab = /^tab-([^.]+)\./.exec(group);
  if (tab?.[1] !== undefined) return { kind: 'tab', tabId: tab[1] };
  const [, kind, id] = BY_ID.exec(group) ?? [];
  if (kind !== undefined && id !== undefined) return { kind: kind as 'upload', id };
  if (group.startsWith('act ')) return { kind: 'act', operation: group.slice(4) };
  if (group === '') return { kind: 'none' };
  return { kind: 'named', text: NAMED[group] ?? group };
}
