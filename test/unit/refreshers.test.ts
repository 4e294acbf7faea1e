import { expect, test } from 'vitest';
import { refreshers } from '../../renderer/state/refreshers.ts';

/** A view that counts its refreshes. */
function shown(tabId: string) {
  const view = { count: 0 };
  const remove = refreshers.set(tabId, () => {
    view.count += 1;
  });
  return { view, remove };
}

test('a refresh asked for while a view is loading begins once when the view is there', async () => {
  const asked = refreshers.run('loading');
  const { view, remove } = shown('loading');
  await asked;
  expect(view.count).toBe(1);
  remove();
  const again = shown('loading').view;
  await refreshers.run(null);
  expect(again.count).toBe(0);
});

test('a refresh of another view replaces one that waits', async () => {
  const asked = refreshers.run('slow');
  const other = shown('other').view;
  await refreshers.run('other');
  await asked;
  const slow = shown('slow').view;
  await refreshers.run(null);
  expect([other.count, slow.count]).toEqual([1, 0]);
});

test('a refresh is dropped if its tab is left before its view has loaded', async () => {
  const asked = refreshers.run('left');
  refreshers.follow('left');
  refreshers.follow('another');
  await asked;
  const { view } = shown('left');
  await refreshers.run(null);
  expect(view.count).toBe(0);
});

test('the command ends with the error of the refresh', async () => {
  refreshers.set('failing', async () => {
    throw new Error('no answer');
  });
  await expect(refreshers.run('failing')).rejects.toThrow('no answer');
});

test('parts of a view are refreshed with it, and the view alone after they are left', async () => {
  const { view, remove } = shown('with parts');
  let parts = 0;
  const leave = refreshers.add('with parts', () => {
    parts += 1;
  });
  await refreshers.run('with parts');
  expect([view.count, parts]).toEqual([1, 1]);
  leave();
  await refreshers.run('with parts');
  expect([view.count, parts]).toEqual([2, 1]);
  remove();
});
