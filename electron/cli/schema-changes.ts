/** `kept schema`, `kept accept ID`: fields whose type or coverage changed in new rows. */
import type { Session } from '../engine/session.ts';
import { AppError } from '../shared/errors.ts';
import { localTimeText } from '../shared/local-time.ts';
import {
  fieldName,
  type ListedSchemaChange,
  nameOfGroup,
  schemaChangeText,
  typeOfGroup,
} from '../shared/schema-model.ts';
import type { CommandContext } from './context.ts';
import { counted, readable } from './human-text.ts';
import { table } from './output.ts';

const HOW =
  'They are compared each time that the spans of an application or the items of a dataset were read completely.';

export async function schemaChanges({ output }: CommandContext, session: Session): Promise<void> {
  const changes = await session.schema.list();
  const items = changes.map(answerOf);
  output.answer({ items, total: items.length, complete: true, asOf: null }, () => {
    if (changes.length === 0) return [`New rows have the schema of the earlier ones. ${HOW}`];
    const lines = changes.map((one) => ({ ...answerOf(one), noticed: localTimeText(one.noticedAtMs) }));
    return table(lines.map(readable), ['id', 'state', 'noticed', 'list', 'field', 'change']);
  });
}

export async function acceptSchema(
  { output }: CommandContext,
  session: Session,
  given: string,
): Promise<void> {
  const changeId = Number(given);
  if (!Number.isSafeInteger(changeId) || changeId < 1)
    throw new AppError(
      'INVALID_ARGUMENT',
      `kept accept expects the ID of a change, a number; got ${given}. Run kept schema for the list.`,
    );
  const changes = await session.schema.accept(changeId);
  const accepted = changes.find((each) => each.changeId === changeId);
  if (accepted === undefined) throw new AppError('INTERNAL', `The change ${changeId} was not kept.`);
  output.answer(answerOf(accepted), () => [
    `Accepted: ${fieldName(accepted.path)}. Further rows are compared with the new schema.`,
  ]);
}

/** Prints a note about changes that a reading found. `sinceMs`: wall time at which the reading started. */
export async function noteSchemaChanges(
  { output }: CommandContext,
  session: Session,
  sinceMs: number,
): Promise<void> {
  const changes = await session.schema.list();
  const found = changes.filter(({ noticedAtMs, state }) => noticedAtMs >= sinceMs && state === 'open');
  for (const change of found) output.note(`${fieldName(change.path)}: ${schemaChangeText(change)}.`);
  if (found.length > 0)
    output.note(`${counted(found.length, 'field')} changed in new rows: kept schema lists them.`);
}

function answerOf(change: ListedSchemaChange) {
  const { changeId, list, name, kind, group, path, mappings, state, noticedAtMs, sinceMs } = change;
  return {
    ...{
      id: changeId,
      state,
      list: `${list.kind} of ${name === '' ? list.id : name}`,
      field: fieldName(path),
      kind,
    },
    ...{
      spanType: typeOfGroup(group),
      spanName: nameOfGroup(group),
      change: schemaChangeText(change),
      mappings,
      newRows: change.after.rows,
    },
    noticedAt: new Date(noticedAtMs).toISOString(),
    since: new Date(sinceMs).toISOString(),
  };
}
