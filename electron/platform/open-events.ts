/**
 * The events by which later starts of the application and macOS ask it to open files and links, kept from its first
 * moment on. `open-requests.ts` parses their arguments.
 */

/** Arguments as they came, untrusted. */
export interface OpenEvent {
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
