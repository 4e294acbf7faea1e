/** `Menu` without a visible bar: its items can be found and clicked, and their accelerators work. */
import { isAccelerator, type KeyPress } from './accelerator.ts';
import { app } from './app.ts';
import { BrowserWindow } from './browser-window.ts';
import { HostObject } from './unsupported.ts';
import type { WebContents } from './web-contents.ts';

/** Roles that are implemented here; others have an effect only in Electron. */
type Role = string;

/** Types as in Electron's documentation, limited to the parts that the stand-in supports. */
export interface MenuItemConstructorOptions {
  id?: string;
  label?: string;
  sublabel?: string;
  toolTip?: string;
  role?: Role;
  type?: 'normal' | 'separator' | 'submenu' | 'checkbox' | 'radio' | 'header' | 'palette';
  accelerator?: string;
  enabled?: boolean;
  visible?: boolean;
  checked?: boolean;
  registerAccelerator?: boolean;
  submenu?: MenuItemConstructorOptions[] | Menu;
  // biome-ignore lint/suspicious/noExplicitAny: the parameters of Electron; listeners may use any of them.
  click?: (item: any, window: any, event: any) => void;
}

const ROLE_KEYS: Readonly<Record<string, string>> = {
  quit: 'CmdOrCtrl+Q',
  close: 'CmdOrCtrl+W',
  minimize: 'CmdOrCtrl+M',
  reload: 'CmdOrCtrl+R',
  forcereload: 'CmdOrCtrl+Shift+R',
  togglefullscreen: 'F11',
};

const ROLE_ACTIONS: Readonly<Record<string, (window: BrowserWindow | undefined) => void>> = {
  quit: () => app.quit(),
  close: (window) => window?.close(),
  minimize: (window) => window?.minimize(),
  reload: (window) => window?.webContents.reload(),
  forcereload: (window) => window?.webContents.reloadIgnoringCache(),
  togglefullscreen: (window) => window?.setFullScreen(!window.isFullScreen()),
};

export class MenuItem extends HostObject {
  readonly id: string;
  label: string;
  readonly role: string | undefined;
  readonly type: NonNullable<MenuItemConstructorOptions['type']>;
  readonly accelerator: string | null;
  readonly registerAccelerator: boolean;
  readonly submenu: Menu | undefined;
  enabled: boolean;
  visible: boolean;
  checked: boolean;
  readonly #options: MenuItemConstructorOptions;

  constructor(options: MenuItemConstructorOptions) {
    super();
    this.#options = options;
    const { submenu } = options;
    this.id = options.id ?? '';
    this.role = options.role?.toLowerCase();
    this.label = options.label ?? options.role ?? '';
    this.type = options.type ?? (submenu === undefined ? 'normal' : 'submenu');
    this.accelerator = options.accelerator ?? ROLE_KEYS[this.role ?? ''] ?? null;
    this.registerAccelerator = options.registerAccelerator ?? true;
    this.submenu = Array.isArray(submenu) ? Menu.buildFromTemplate(submenu) : submenu;
    this.enabled = options.enabled ?? true;
    this.visible = options.visible ?? true;
    this.checked = options.checked ?? false;
  }

  /** Has the same effect as choosing the item. */
  click(event: object = {}, window?: BrowserWindow, _contents?: WebContents): void {
    if (!this.enabled) return;
    const target = window ?? BrowserWindow.getFocusedWindow() ?? BrowserWindow.getAllWindows()[0];
    if (this.type === 'checkbox') this.checked = !this.checked;
    if (this.#options.click === undefined) ROLE_ACTIONS[this.role ?? '']?.(target);
    else this.#options.click(this, target, event);
  }
}

let applicationMenu: Menu | null = null;

export class Menu extends HostObject {
  readonly items: MenuItem[] = [];

  static buildFromTemplate(template: MenuItemConstructorOptions[]): Menu {
    const menu = new Menu();
    for (const options of template) menu.append(new MenuItem(options));
    return menu;
  }

  static setApplicationMenu(menu: Menu | null): void {
    applicationMenu = menu;
  }

  static getApplicationMenu(): Menu | null {
    return applicationMenu;
  }

  append(item: MenuItem): void {
    this.items.push(item);
  }

  getMenuItemById(id: string): MenuItem | null {
    return allItems(this).find((item) => item.id === id) ?? null;
  }
}

function allItems(menu: Menu): MenuItem[] {
  return menu.items.flatMap((item) => [item, ...(item.submenu === undefined ? [] : allItems(item.submenu))]);
}

/** Chooses the item whose accelerator was pressed in a page, if there is one. */
export function pressKey(press: KeyPress, contents: WebContents): void {
  if (applicationMenu === null) return;
  const isPressed = ({ accelerator, registerAccelerator }: MenuItem): boolean =>
    accelerator !== null && registerAccelerator && isAccelerator(accelerator, press);
  const window = BrowserWindow.fromWebContents(contents) ?? undefined;
  allItems(applicationMenu)
    .find((item) => item.enabled && isPressed(item))
    ?.click({ triggeredByAccelerator: true }, window);
}
