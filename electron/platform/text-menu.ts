/**
 * The context menu of a text: cut, copy, paste. It is shown only if the runtime reports the clicked place; a browser
 * window has its own menu.
 */
import type { MenuItemConstructorOptions } from 'electron';
import { methodOf, partOf } from './runtime-parts.ts';

/** The runtime's description of the clicked place. */
interface TextPlace {
  isEditable: boolean;
  selectionText: string;
  editFlags: { canCut: boolean; canCopy: boolean; canPaste: boolean; canSelectAll: boolean };
}

interface Contents {
  on(event: 'context-menu', listener: (event: unknown, place: TextPlace) => void): unknown;
}

/** Null if the clicked place has no text, because rows and tabs have their own menus. */
export function textMenu({
  isEditable,
  selectionText,
  editFlags,
}: TextPlace): MenuItemConstructorOptions[] | null {
  if (isEditable)
    return [
      { role: 'cut', enabled: editFlags.canCut },
      { role: 'copy', enabled: editFlags.canCopy },
      { role: 'paste', enabled: editFlags.canPaste },
      { type: 'separator' },
      { role: 'selectAll', enabled: editFlags.canSelectAll },
    ];
  return selectionText.trim() === '' ? null : [{ role: 'copy', enabled: editFlags.canCopy }];
}

/** Offers the menu. `runtime`: the loaded module `electron`. */
export function offerTextMenu(runtime: object, contents: Contents): void {
  const build = methodOf(partOf(runtime, 'Menu'), 'buildFromTemplate');
  contents.on('context-menu', (_event, place) => {
    const template = textMenu(place);
    if (template !== null) methodOf(build?.(template), 'popup')?.();
  });
}
