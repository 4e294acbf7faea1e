/**
 * Opens a collapsed part while its content must be visible. Never closes it, because the focus may be inside, or the
 * user may have opened it.
 */
export const unfold =
  (isNeeded: boolean) =>
  (part: HTMLDetailsElement): void => {
    if (isNeeded) part.open = true;
  };
