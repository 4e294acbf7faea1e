/** Operations with a channel of their own, because the channel stores what was sent or sends several requests. */
const DEDICATED_SENDERS: readonly { isIt: (operation: string) => boolean; instead: string }[] = [
  { isIt: (operation) => operation.startsWith('events.'), instead: 'an upload or the deletion of events' },
  { isIt: (operation) => operation.startsWith('files.'), instead: 'an upload' },
  { isIt: (operation) => operation === 'datasets.add-spans', instead: 'the dataset builder' },
  { isIt: (operation) => operation === 'experiments.add-results', instead: 'an upload of results' },
];

/** The feature that must send this operation, or null. */
export function dedicatedSenderOf(operation: string): string | null {
  return DEDICATED_SENDERS.find(({ isIt }) => isIt(operation))?.instead ?? null;
}

export function hasDedicatedSender(operation: string): boolean {
  return dedicatedSenderOf(operation) !== null;
}
