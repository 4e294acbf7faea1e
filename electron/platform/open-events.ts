/**
 * Collects, from the start of the process on, the events by which later starts of the application and macOS ask it to
 * open files and links. `open-requests.ts` parses their arguments.
 */

/** Arguments as received, untrusted. */
export interface OpenEvent {
  readonly words: readonly string[];
  /** Folder to which relative paths refer. */
  readonly folder: string;
  /** The event comes from a later start on the same data folder, so this window is shown. */
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
 * Listens for later starts, and for files and links of macOS, which come as events, the first ones before the window
 * exists. The returned function passes on the events received so far, and each later one at once.
 */
export function keepOpenEvents(source: Source): (take: (event: OpenEvent) => void) => void {
  const early: OpenEvent[] = [];
  let take = (event: OpenEvent): void => void early.push(event);
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
    for (const event of early.splice(0)) taker(event);
  };
}
