/** Resolves in a new task, so that frames and key events can be handled first. `waitMs`: minimum delay. */
export const nextTask = (waitMs = 0): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, waitMs);
  });
