/**
 * The number keys of Home. While the first steps are shown, they have the keys 1 to 3, and the waiting entries start at
 * 4.
 */
import { isTyping } from '../../lib/commands.ts';
import { digitOf } from '../../lib/first-steps.ts';
import { isOverlayOpen } from '../../lib/overlays.ts';
import { enterView } from '../../lib/panes.ts';
import { app } from '../../state/app.svelte.ts';

/** Opens another view by a key of Home, and moves the focus there, wherever it was. */
export async function followedFromHome(act: () => unknown): Promise<void> {
  await act();
  if (app.tabs.active?.kind !== 'start') await enterView();
}

/**
 * The number of a pressed key on Home. Null in other views, while the user types, and while a dialog or menu is open.
 */
export function homeDigit(event: KeyboardEvent): number | null {
  if (isTyping(event.target) || app.tabs.active?.kind !== 'start') return null;
  if (isOverlayOpen()) return null;
  return digitOf(event);
}
