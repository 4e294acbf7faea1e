/** The number keys of Home. While the first steps are shown they have 1 to 3, and what waits starts at 4. */
import { isTyping } from '../../lib/commands.ts';
import { digitOf } from '../../lib/first-steps.ts';
import { isOverlayOpen } from '../../lib/overlays.ts';
import { enterView } from '../../lib/panes.ts';
import { app } from '../../state/app.svelte.ts';

/** A key that leads from Home to another view also leads the focus there, from wherever it was. */
export async function followedFromHome(act: () => unknown): Promise<void> {
  await act();
  if (app.tabs.active?.kind !== 'start') await enterView();
}

/** The number that a key means on Home; null elsewhere, while typing, and under a dialog or menu. */
export function homeDigit(event: KeyboardEvent): number | null {
  if (isTyping(event.target) || app.tabs.active?.kind !== 'start') return null;
  if (isOverlayOpen()) return null;
  return digitOf(event);
}
