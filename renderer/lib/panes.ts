import { tick } from 'svelte';
import { isOverlayOpen } from './overlays.ts';

/** The panes that F6 cycles through, in document order. If the window is split, each side has its own tabs and view. */
const PANES =
  'nav[aria-label="Sections"], .strip > [role="tablist"], [data-view], aside[aria-label="Inspector"], footer';
/** The active view: one of the two sides. Before a connection exists there are no sides. */
const VIEW = '[data-view="active"], main.alone';
const REACHABLE =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary, [tabindex]';

/** The element of each pane that had the focus last, to which it returns. */
const left = new WeakMap<Element, HTMLElement>();

function isReachable(element: HTMLElement): boolean {
  return element.tabIndex >= 0 && element.checkVisibility({ visibilityProperty: true });
}

/** Fields of a form in document order. A button is no field, unless it opens choices. */
const FIELDS = 'input:not(:disabled), select:not(:disabled), textarea:not(:disabled), [role="combobox"]';

const isEmpty = (field: HTMLElement): boolean =>
  (field instanceof HTMLInputElement ||
    field instanceof HTMLTextAreaElement ||
    field instanceof HTMLSelectElement) &&
  field.value === '';

/**
 * The first field. In a form marked with `data-entry="empty"` it is the first one without a value, as some are already
 * filled in.
 */
function firstField(form: HTMLFormElement): HTMLElement | undefined {
  const fields = [...form.querySelectorAll<HTMLElement>(FIELDS)].filter(isReachable);
  return (form.dataset['entry'] === 'empty' ? fields.find(isEmpty) : undefined) ?? fields[0];
}

/** The rows of a view, or the first field of its form. */
function rowsIn(pane: Element): HTMLElement | null {
  const found = pane.querySelector<HTMLElement>(
    '[role="grid"][tabindex="0"], [role="treegrid"][tabindex="0"], [data-entry]',
  );
  const rows = found instanceof HTMLFormElement ? firstField(found) : found;
  return rows != null && isReachable(rows) ? rows : null;
}

/** Id of the tab whose view is drawn on the active side; null before there are tabs. */
export const drawnTab = (): string | null =>
  document.querySelector<HTMLElement>(VIEW)?.dataset['tab'] ?? null;

/** The element of a pane that gets the focus; null if none can. */
function entryOf(pane: Element): HTMLElement | null {
  const before = left.get(pane);
  if (before?.isConnected === true && pane.contains(before) && isReachable(before)) return before;
  return rowsIn(pane) ?? [...pane.querySelectorAll<HTMLElement>(REACHABLE)].find(isReachable) ?? null;
}

/** Moves the focus to the next or previous pane, cyclically. Does nothing while a dialog is open. */
export function stepPane(by: 1 | -1): void {
  if (isOverlayOpen(['dialog', 'alertdialog'])) return;
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

/** Whether an element has the keyboard focus. */
export const isFocused = (): boolean =>
  document.activeElement !== null && document.activeElement !== document.body;

let stopEntering = (): void => undefined;

/**
 * Moves the focus to the rows of the view that was just opened, once they are loaded, or to the view itself if it has
 * no rows. Stops if the user moves the focus.
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

/**
 * Moves the focus to the current view if the focused element was removed together with the previous view, so that keys
 * continue to work.
 */
export async function keepFocus(): Promise<void> {
  await tick();
  if (!isFocused()) await enterView();
}
