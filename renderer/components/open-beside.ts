/** Opens the target of a row on the other side of the window. Provided by the workbench, used by grids. */
import { getContext, setContext } from 'svelte';

const KEY = Symbol('open beside');
type Beside = (open: () => unknown) => void;

/** Lets the grids below open targets on the other side. Must be called during component initialization. */
export function provideOpenBeside(beside: Beside): void {
  setContext<Beside>(KEY, beside);
}

/** The function for opening on the other side. If there are no sides, it opens the target normally. */
export function openBeside(): Beside {
  return getContext<Beside | undefined>(KEY) ?? ((open) => void open());
}
