/**
 * Components contain no literal ids: two views of the same kind can be shown side by side, so an id would occur twice.
 */
import { expect, test } from 'vitest';
import { sourceFiles, textOf } from '../helpers/module-graph.ts';

/** Ids of keys do not belong to elements. */
const NO_ELEMENT = /<PartKey id="/g;
const WRITTEN_OUT = /[\s(]id="[A-Za-z][^"]*"/g;
/** Components that are shown only once: the sidebar, and the strip of tabs, whose tabs have their own ids. */
const ONCE = ['renderer/components/Sidebar.svelte', 'renderer/components/TabStrip.svelte'];

test('ids of elements are generated for each component instance', () => {
  const found = sourceFiles('renderer')
    .filter((path) => path.endsWith('.svelte') && !ONCE.includes(path))
    .flatMap((path) =>
      [...textOf(path).replaceAll(NO_ELEMENT, '').matchAll(WRITTEN_OUT)].map(([id]) => `${path}:${id}`),
    );
  expect(found).toEqual([]);
});
