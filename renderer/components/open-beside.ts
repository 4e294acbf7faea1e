/** Opens what a row leads to on the other side of the window: given by the workbench, used by grids. */
import { getContext, setContext } from 'svelte';

const KEY = Symbol('open beside');
type Beside = (open: () => unknown) => void;

/** Call while a component is made; grids below it can then open on the other side. */
export function provideOpenBeside(beside: Beside): void {
  setContext<Beside>(KEY, beside);
}

/** Where there are no sides, it opens as it does anyway. */
export function openBeside(): Beside {
  return getContext<Beside | undefined>(KEY) ?? ((open) => void open());
}
