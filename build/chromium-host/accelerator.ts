/** Matches keys reported by pages with accelerators named by menus. */

/** A key as reported by the page. */
export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  readonly metaKey: boolean;
}

const KEY_NAMES: Readonly<Record<string, string>> = {
  plus: '+',
  space: ' ',
  return: 'enter',
  esc: 'escape',
  up: 'arrowup',
  down: 'arrowdown',
  left: 'arrowleft',
  right: 'arrowright',
};

/** True if a key press matches an accelerator such as "CmdOrCtrl+Shift+P". */
export function isAccelerator(accelerator: string, press: KeyPress): boolean {
  const parts = accelerator.toLowerCase().replace('++', '+plus').split('+');
  const name = parts.pop() ?? '';
  const has = (...names: string[]): boolean => names.some((item) => parts.includes(item));
  return (
    press.key === (KEY_NAMES[name] ?? name) &&
    press.ctrlKey === has('cmdorctrl', 'commandorcontrol', 'ctrl', 'control') &&
    press.altKey === has('alt', 'option', 'altgr') &&
    press.shiftKey === has('shift') &&
    press.metaKey === has('super', 'meta', 'cmd', 'command')
  );
}
