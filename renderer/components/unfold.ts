/**
 * Opens a folded part while its content needs to be seen. Never closes it: the focus may be inside, and a person may
 * have opened it.
 */
export const unfold =
  (isNeeded: boolean) =>
  (part: HTMLDetailsElement): void => {
    if (isNeeded) part.open = true;
  };
