/** Opens several parts, or none. */

/** If `work` throws, closes what it had opened by then, the latest first. */
export function orClosed<T>(work: (onOpened: (close: () => void) => void) => T): T {
  const opened: (() => void)[] = [];
  try {
    return work((close) => opened.push(close));
  } catch (thrown) {
    for (const close of opened.toReversed()) close();
    throw thrown;
  }
}
