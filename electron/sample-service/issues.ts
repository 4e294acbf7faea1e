/** Texts for schema errors. */
import type * as z from '../shared/zod.ts';

const SHOWN = 5;

function place(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) =>
      typeof key === 'number' ? `${text}[${key}]` : text === '' ? String(key) : `${text}.${String(key)}`,
    '',
  );
}

/** One text for each issue, with its path, e.g. `source.events[3]: expected record, received string`. */
export function issueMessages(error: z.ZodError): string[] {
  return error.issues.map((issue) => {
    const at = place(issue.path);
    return at === '' ? issue.message : `${at}: ${issue.message}`;
  });
}

/** The first issues in one line. */
export function describeIssues(error: z.ZodError): string {
  const messages = issueMessages(error);
  const rest = messages.length - SHOWN;
  return messages.slice(0, SHOWN).join('; ') + (rest > 0 ? `; and ${rest} more` : '');
}
