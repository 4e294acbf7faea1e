/** Menu items of a tab and of a tab group. */
import ArrowLeftRight from '@lucide/svelte/icons/arrow-left-right';
import Columns2 from '@lucide/svelte/icons/columns-2';
import FolderMinus from '@lucide/svelte/icons/folder-minus';
import FolderPlus from '@lucide/svelte/icons/folder-plus';
import Pencil from '@lucide/svelte/icons/pencil';
import Pin from '@lucide/svelte/icons/pin';
import Undo from '@lucide/svelte/icons/undo-2';
import X from '@lucide/svelte/icons/x';
import type { RowAct } from '../../components/grid/row-menu.ts';
import { isSameSide, type TabGroup } from '../../lib/tab-groups.ts';
import { app } from '../../state/app.svelte.ts';
import type { Tab } from '../../state/tabs.svelte.ts';

export function tabMenu(tab: Tab, keysOf: (command: string) => string): RowAct[][] {
  const { tabs } = app;
  const { id, groupId } = tab;
  const own = tabs.list.filter((each) => isSameSide(each, tab));
  const others = own.filter((each) => each.id !== id && each.isPinned !== true);
  const group = tabs.groups.find((each) => each.id === groupId);
  const isPinned = tab.isPinned === true;
  return [
    [
      ...(tab.isPassing === true ? [{ title: 'Keep open', run: () => tabs.keepOpen(id) }] : []),
      { title: isPinned ? 'Unpin' : 'Pin', icon: Pin, run: () => tabs.setPinned(id, !isPinned) },
    ],
    tabs.list.length < 2
      ? []
      : [
          tabs.besideId === null
            ? {
                title: 'Open to the side',
                icon: Columns2,
                key: keysOf('tabs.split'),
                run: () => tabs.moveAcross(id),
              }
            : {
                title: 'Move to the other side',
                icon: ArrowLeftRight,
                key: keysOf('tabs.split'),
                run: () => tabs.moveAcross(id),
              },
        ],
    [
      { title: 'New group…', icon: FolderPlus, run: () => app.askGroup(tab) },
      ...tabs.groups
        .filter((each) => each.id !== groupId)
        .map((each) => ({ title: `Add to “${each.name}”`, run: () => tabs.groupTab(id, each.id) })),
      ...(group === undefined
        ? []
        : [{ title: `Remove from “${group.name}”`, icon: FolderMinus, run: () => tabs.groupTab(id, null) }]),
    ],
    [
      { title: 'Close', icon: X, key: keysOf('view.close-tab'), run: () => app.closeTab(id) },
      ...(others.length === 0
        ? []
        : [{ title: 'Close the others', run: () => app.closeTabs(others, 'Closed the other tabs') }]),
      { title: 'Reopen closed tab', icon: Undo, key: keysOf('tabs.reopen'), run: () => tabs.reopenClosed() },
    ],
  ];
}

export function groupMenu(group: TabGroup): RowAct[][] {
  const { tabs } = app;
  const own = tabs.list.filter(({ groupId }) => groupId === group.id);
  return [
    [{ title: 'Name and colour…', icon: Pencil, run: () => app.editGroup(group) }],
    [
      { title: 'Ungroup', icon: FolderMinus, run: () => tabs.dissolveGroup(group.id) },
      {
        title: 'Close the group',
        icon: X,
        run: () => app.closeTabs(own, `Closed the group “${group.name}”`),
      },
    ],
  ];
}
