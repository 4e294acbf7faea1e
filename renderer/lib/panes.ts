import { tick } from 'svelte';

/** The parts of the window that F6 goes through, in the order they stand; tabs and a view on each side. */
const PANES =
  'nav[aria-label="Sections"], .strip > [role="tablist"], [data-view], aside[aria-label="Inspector"], footer';
/** Of two sides, the one that is worked in. Before there is any connection there is no side. */
const VIEW = '[data-view="active"], main.alone';
const REACHABLE =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary, [tabindex]';

/** Where one was in each pane: coming back to it goes there. */
const left = new WeakMap<Element, HTMLElement>();

function isReachable(element: HTMLElement): boolean {
  return element.tabIndex >= 0 && element.checkVisibility({ visibilityProperty: true });
}

/** The rows of a view, or the field that it begins with. */
function rowsIn(pane: Element): HTMLElement | null {
  const rows = pane.querySelector<HTMLElement>(
    '[role="grid"][tabindex="0"], [role="treegrid"][tabindex="0"], [data-entry]',
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
  const panes = [...document.querySelectorAll(PANES)];
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

/** Has anything the focus, as far as keys are concerned? */
export const isFocused = (): boolean =>
  document.activeElement !== null && document.activeElement !== document.body;

let stopEntering = (): void => undefined;

/**
 * Moves the focus to the rows of the view that was just opened, once they are there; without rows to the view itself,
 * also where rows were shown while it loaded. Ends where a person goes somewhere else.
 */
export async function enterView(): Promise<void> {
  await tick();
  stopEntering();
  const view = document.querySelector<HTMLElement>(VIEW);
  if (view === null) return;
  const enter = (): void => (rowsIn(view) ?? view).focus();
  enter();
  const observer = new MutationObserver(() => {
    if (document.activeElement === view || !isFocused()) enter();
  });
  observer.observe(view, { childList: true, subtree: true });
  const ended = new AbortController();
  stopEntering = () => {
    observer.disconnect();
    ended.abort();
  };
  const { signal } = ended;
  document.addEventListener('pointerdown', stopEntering, { signal });
  document.addEventListener(
    'focusin',
    ({ target }) => {
      if (target !== view && target !== rowsIn(view)) stopEntering();
    },
    { signal },
  );
}

/** What had the focus went with the view before: the view that is there now gets it, so that keys go on working. */
export async function keepFocus(): Promise<void> {
  await tick();
  if (!isFocused()) await enterView();
}
