/** The menu of a text under the pointer: cut, copy, paste. Where the runtime tells of it; a browser window has its own. */
import type { MenuItemConstructorOptions } from 'electron';
import { methodOf, partOf } from './runtime-parts.ts';

/** What the runtime says of the place. */
interface TextPlace {
  isEditable: boolean;
  selectionText: string;
  editFlags: { canCut: boolean; canCopy: boolean; canPaste: boolean; canSelectAll: boolean };
}

interface Contents {
  on(event: 'context-menu', listener: (event: unknown, place: TextPlace) => void): unknown;
}

/** Null where there is no text: rows and tabs have menus of their own. */
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

/** `runtime`: the module `electron` as it is here. */
export function offerTextMenu(runtime: object, contents: Contents): void {
  const build = methodOf(partOf(runtime, 'Menu'), 'buildFromTemplate');
  contents.on('context-menu', (_event, place) => {
    const template = textMenu(place);
    if (template !== null) methodOf(build?.(template), 'popup')?.();
  });
}
