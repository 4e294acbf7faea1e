/**
 * The items of a generated dataset in a given state. They are always the same for a number; a tenth of them changes
 * with each state.
 */
export function snapshotState(state: number): { identity: string; json: string }[] {
  return Array.from({ length: 400 }, (_, at) => {
    const changed = Math.floor((state + (at % 10)) / 10);
    const item = { id: `i${at}`, inputs: { question: `${'What now? '.repeat(40)}${at} ${changed}` } };
    return { identity: item.id, json: JSON.stringify(item) };
  });
}
