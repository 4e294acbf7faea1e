/** The context menu of a text: cut, copy, paste. Only if the runtime reports it; a browser window has its own. */
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

/** Null if there is no text: rows and tabs have their own menus. */
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

/** `runtime`: the loaded module `electron`. */
export function offerTextMenu(runtime: object, contents: Contents): void {
  const build = methodOf(partOf(runtime, 'Menu'), 'buildFromTemplate');
  contents.on('context-menu', (_event, place) => {
    const template = textMenu(place);
    if (template !== null) methodOf(build?.(template), 'popup')?.();
  });
}
