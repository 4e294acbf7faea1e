/**
 * Opens and closes the panel of the inspector. In lists whose rows already show the main content (spans, alert rules,
 * datasets, models and other resources) the panel is closed until the user opens it. Elsewhere a setting keeps it open.
 */

import { tabRow } from '../lib/tab-kinds.ts';
import type { AppState } from './app.svelte.ts';
import type { Tab } from './tabs.svelte.ts';

/**
 * Whether the panel of a tab opens only on request, because the rows of its list suffice. That includes the experiments
 * of a dataset, but not a whole trace or session.
 */
export const opensOnRequest = (tab: Pick<Tab, 'kind' | 'params'> | null): boolean =>
  tab !== null &&
  (tabRow(tab.kind).isInspectedOnRequest === true ||
    (tab.kind === 'trace' && tab.params['scope'] === undefined) ||
    (tab.kind === 'dataset' && tab.params['part'] === 'experiments'));

type App = Pick<AppState, 'tabs' | 'inspector' | 'settings'>;

/** Whether the panel of the active tab is open. */
export function isPanelOpen(app: App): boolean {
  return opensOnRequest(app.tabs.active) ? app.inspector.isReading : app.settings.isInspectorOpen;
}

/** Opens or closes the panel of the active tab. Throws AppError if the setting cannot be stored. */
export async function setPanelOpen(app: App, isOpen: boolean): Promise<void> {
  if (opensOnRequest(app.tabs.active)) app.inspector.isReading = isOpen;
  else if (app.settings.isInspectorOpen !== isOpen) await app.settings.set({ isInspectorOpen: isOpen });
}
