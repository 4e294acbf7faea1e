/** Ways into the Traffic view. */
import { app } from '../../state/app.svelte.ts';
import { setParam } from '../parts/params.ts';

/** Its row alone, and all that is known of it. */
export function openRequest(requestId: string): void {
  const tab = app.tabs.open('traffic', 'Traffic');
  setParam(tab, 'request', requestId);
}
