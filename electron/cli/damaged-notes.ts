/** Notes about unreadable stored rows, printed with the list of their kind, because they are missing in it. */
import type { Session } from '../engine/session.ts';
import type { DamagedKind } from '../shared/damaged-rows.ts';
import type { CommandContext } from './context.ts';

export function noteDamaged(
  { output }: Pick<CommandContext, 'output'>,
  { damaged }: Pick<Session, 'damaged'>,
  wanted: DamagedKind,
): void {
  for (const { kind, id, title, reason } of damaged.list()) {
    if (kind !== wanted) continue;
    const name = title === '' ? id : `${title} (${id})`;
    output.note(`Skipped because it is damaged: ${name}. ${reason} Remove it with: damaged remove ${id}.`);
  }
}
