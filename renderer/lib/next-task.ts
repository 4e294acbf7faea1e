/** Resolves in a task of its own: a frame can be drawn, and a key answered, before it. `waitMs`: not earlier. */
export const nextTask = (waitMs = 0): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, waitMs);
  });
