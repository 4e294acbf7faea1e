/** Dialogs, popups and menus over the window. */

const ROLES = ['dialog', 'alertdialog', 'menu'] as const;

/**
 * Whether the keys belong to an overlay. The frame of a closed one stays in the page until the next frame of the
 * screen.
 */
export function isOverlayOpen(roles: readonly (typeof ROLES)[number][] = ROLES): boolean {
  return (
    document.querySelector(roles.map((role) => `[role="${role}"]:not([data-state="closed"])`).join()) !== null
  );
}
