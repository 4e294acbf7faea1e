/** Opens the Requests view. */
import { app } from '../../state/app.svelte.ts';
import { setParam } from '../parts/params.ts';

/** Shows only the row of a request, with all details. */
export function openRequest(requestId: string): void {
  const tab = app.tabs.open('traffic', 'Requests');
  setParam(tab, 'request', requestId);
}
