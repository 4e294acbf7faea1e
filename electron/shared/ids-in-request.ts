/** The ids that a change names. */

interface ChangeRequest {
  path: Readonly<Record<string, string>>;
  body: Readonly<Record<string, unknown>> | null;
}

/** Ids in the path of a change, and in the fields of its body that are named like ids. */
export function idsIn({ path, body }: ChangeRequest): string[] {
  const named = Object.entries(body ?? {}).filter(([name]) => /_ids?$/.test(name));
  return [...Object.values(path), ...named.flatMap(([, value]) => value)].filter(
    (value): value is string => typeof value === 'string',
  );
}
