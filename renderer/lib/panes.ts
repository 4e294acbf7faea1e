import { tick } from 'svelte';

/** The parts of the window that F6 goes through, in the order they stand. */
const PANES = [
  'nav[aria-label="Sections"]',
  '[role="tablist"][aria-label="Open tabs"]',
  'main',
  'aside',
  'footer',
];
const REACHABLE =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary, [tabindex]';

/** Where one was in each pane: coming back to it goes there. */
const left = new WeakMap<Element, HTMLElement>();

function isReachable(element: HTMLElement): boolean {
  return element.tabIndex >= 0 && element.checkVisibility({ visibilityProperty: true });
}

function rowsIn(pane: Element): HTMLElement | null {
  const rows = pane.querySelector<HTMLElement>(
    '[role="grid"][tabindex="0"], [role="treegrid"][tabindex="0"]',
  );
  return rows !== null && isReachable(rows) ? rows : null;
}

/** What gets the focus in a pane; null where nothing in it can have it. */
function entryOf(pane: Element): HTMLElement | null {
  const before = left.get(pane);
  if (before?.isConnected === true && pane.contains(before) && isReachable(before)) return before;
  return rowsIn(pane) ?? [...pane.querySelectorAll<HTMLElement>(REACHABLE)].find(isReachable) ?? null;
}

/** Moves the focus to the next pane, or to the one before; around the ends. Not out of a dialog. */
export function stepPane(by: 1 | -1): void {
  if (document.querySelector('[role="dialog"], [role="alertdialog"]') !== null) return;
  const panes = PANES.flatMap((selector) => document.querySelector(selector) ?? []);
  const focused = document.activeElement;
  const at = panes.findIndex((pane) => pane.contains(focused));
  const current = panes[at];
  if (current !== undefined && focused instanceof HTMLElement) left.set(current, focused);
  const start = at === -1 ? (by === 1 ? -1 : 0) : at;
  for (let step = 1; step <= panes.length; step += 1) {
    const pane = panes[(start + by * step + panes.length * 2) % panes.length];
    const entry = pane === undefined || pane === current ? null : entryOf(pane);
    if (entry === null) continue;
    entry.focus();
    return;
  }
}

/** Moves the focus to the rows of the view that was just opened, once they are there; until then to the view itself. */
export async function enterView(): Promise<void> {
  await tick();
  const view = document.querySelector<HTMLElement>('main');
  if (view === null) return;
  const rows = rowsIn(view);
  (rows ?? view).focus();
  if (rows !== null) return;
  const observer = new MutationObserver(() => rowsIn(view)?.focus());
  observer.observe(view, { childList: true, subtree: true });
  // The rows have it, or a person went somewhere else meanwhile.
  view.addEventListener('blur', () => observer.disconnect(), { once: true });
}
