/**
 * Makes a click act on the control that was pressed, even if the layout moves before the release. That happens if the
 * press takes the focus from a field, whose message then appears above the control, or if an answer arrives. The
 * browser would send the click to an element around both positions.
 */

import { openModals } from './open-modals.svelte.ts';

const CONTROLS =
  'button, a[href], label, summary, input, [role="tab"], [role="menuitem"], [role="switch"], [role="radio"], [role="checkbox"]';
/** If the pointer moved further than this, in pixels, it has left the control on purpose. */
const MAX_PIXELS = 4;

interface Press {
  readonly control: Element;
  readonly left: number;
  readonly top: number;
  /** Text of the row around the control, null if there is none: grids reuse row elements for other records. */
  readonly rowText: string | null;
  readonly x: number;
  readonly y: number;
}

const rowTextOf = (control: Element): string | null => control.closest('[role="row"]')?.textContent ?? null;

function pressOf(event: PointerEvent): Press | null {
  const control = event.target instanceof Element ? event.target.closest(CONTROLS) : null;
  if (control === null || event.button !== 0 || !event.isPrimary || isDisabled(control)) return null;
  const { left, top } = control.getBoundingClientRect();
  return { control, left, top, rowText: rowTextOf(control), x: event.clientX, y: event.clientY };
}

const isDisabled = (control: Element): boolean => control.matches(':disabled, [aria-disabled="true"]');

/** Whether the control can be clicked: no dialog has opened over it, and no open menu blocks the window. */
function isReachable(control: Element): boolean {
  const isBehind = openModals.count > 0 && control.closest('.modal') === null;
  return !isBehind && getComputedStyle(control).pointerEvents !== 'none';
}

/** Whether the control has moved away from under a pointer that stood still. */
function hasMovedAway({ control, left, top, rowText, x, y }: Press, event: MouseEvent): boolean {
  const isStill = Math.hypot(event.clientX - x, event.clientY - y) <= MAX_PIXELS;
  const isHit = event.target instanceof Node && control.contains(event.target);
  if (!isStill || isHit || !control.isConnected || rowTextOf(control) !== rowText) return false;
  const box = control.getBoundingClientRect();
  return (box.left !== left || box.top !== top) && isReachable(control);
}

/** Redirects such clicks, as long as the window exists. */
export function followMovedControls(target: Window): void {
  let press: Press | null = null;
  target.addEventListener(
    'pointerdown',
    (event) => {
      press = pressOf(event);
    },
    { capture: true },
  );
  target.addEventListener(
    'click',
    (event) => {
      // Clicks made by scripts or by keys do not follow a press. Clicks by keys have a count of 0.
      if (!event.isTrusted || event.detail === 0) return;
      const begun = press;
      press = null;
      if (begun === null || !hasMovedAway(begun, event)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      if (isDisabled(begun.control)) return;
      const { detail, clientX, clientY, ctrlKey, shiftKey, altKey, metaKey } = event;
      const keys = { ctrlKey, shiftKey, altKey, metaKey };
      begun.control.dispatchEvent(
        new MouseEvent('click', { bubbles: true, cancelable: true, detail, clientX, clientY, ...keys }),
      );
    },
    { capture: true },
  );
}
