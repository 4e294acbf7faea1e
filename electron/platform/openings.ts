/** Files and links that the system and later starts ask the application to open, from its first moment on. */

/** Arguments as they came, untrusted. */
export interface Opening {
  readonly words: readonly string[];
  /** Base of relative paths. */
  readonly folder: string;
  /** A later start on the same data folder, which shows this window. */
  readonly isLaterStart: boolean;
}

/** The part of Electron's app that is used here. */
interface Source {
  on(event: 'second-instance', listener: (event: unknown, argv: string[], folder: string) => void): unknown;
  on(
    event: 'open-file' | 'open-url',
    listener: (event: { preventDefault(): void }, opened: string) => void,
  ): unknown;
}

/**
 * Listens to later starts, and to files and links of macOS, which come as events, the first ones before the window
 * exists. The returned function passes on those that came before it was called, and each later one at once.
 */
export function keepOpenings(source: Source): (take: (opening: Opening) => void) => void {
  const early: Opening[] = [];
  let take = (opening: Opening): void => void early.push(opening);
  source.on('second-instance', (_event, argv, folder) =>
    take({ words: argv.slice(1), folder, isLaterStart: true }),
  );
  const takeOne = (event: { preventDefault(): void }, opened: string) => {
    event.preventDefault();
    take({ words: [opened], folder: '/', isLaterStart: false });
  };
  source.on('open-file', takeOne);
  source.on('open-url', takeOne);
  return (taker) => {
    take = taker;
    for (const opening of early.splice(0)) taker(opening);
  };
}
