/** What has a channel of its own, because it keeps what it sent or sends more than one request. */
const OWN_WAYS: readonly { isIt: (operation: string) => boolean; instead: string }[] = [
  { isIt: (operation) => operation.startsWith('events.'), instead: 'an upload or the deletion of events' },
  { isIt: (operation) => operation.startsWith('files.'), instead: 'an upload' },
  { isIt: (operation) => operation === 'datasets.add-spans', instead: 'the dataset builder' },
];

/** What an operation belongs to that is not sent alone, or null. */
export function ownWayOf(operation: string): string | null {
  return OWN_WAYS.find(({ isIt }) => isIt(operation))?.instead ?? null;
}

export function hasOwnWay(operation: string): boolean {
  return ownWayOf(operation) !== null;
}
