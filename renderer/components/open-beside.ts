/** Opens the target of a row on the other side of the window: provided by the workbench, used by grids. */
import { getContext, setContext } from 'svelte';

const KEY = Symbol('open beside');
type Beside = (open: () => unknown) => void;

/** Call during component initialization; grids below can then open on the other side. */
export function provideOpenBeside(beside: Beside): void {
  setContext<Beside>(KEY, beside);
}

/** Without sides, the target opens normally. */
export function openBeside(): Beside {
  return getContext<Beside | undefined>(KEY) ?? ((open) => void open());
}
