/** Dialogs, popups and menus over the window. */

const ROLES = ['dialog', 'alertdialog', 'menu'] as const;

/**
 * Whether an overlay has the keyboard. A closed overlay is ignored: its element stays in the page for one more frame.
 */
export function isOverlayOpen(roles: readonly (typeof ROLES)[number][] = ROLES): boolean {
  return (
    document.querySelector(roles.map((role) => `[role="${role}"]:not([data-state="closed"])`).join()) !== null
  );
}
