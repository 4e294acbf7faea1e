/** The application menu of each platform. */
import type { MenuItemConstructorOptions } from 'electron';
import { expect, test } from 'vitest';
import { menuTemplate } from '../../electron/platform/menu-template.ts';

type Item = MenuItemConstructorOptions;
const PLATFORMS = ['linux', 'win32', 'darwin'] as const;

const childrenOf = ({ submenu }: Item): Item[] => (Array.isArray(submenu) ? submenu : []);
const flat = (items: readonly Item[]): Item[] => items.flatMap((item) => [item, ...flat(childrenOf(item))]);

function menuOf(platform: NodeJS.Platform, shortcuts: Record<string, string | null> = {}) {
  const done: string[] = [];
  const menus = menuTemplate({
    platform,
    shortcuts,
    send: (command) => done.push(command),
    quit: () => done.push('quit'),
  });
  const click = (label: string) => {
    const found = flat(menus).find((item) => item.label === label);
    // The click functions of this template take no arguments.
    Reflect.apply(found?.click ?? (() => done.push(`no ${label}`)), undefined, []);
  };
  return { menus, items: flat(menus), done, click };
}

test.each(PLATFORMS)('on %s there is one way to quit, and it asks for confirmation', (platform) => {
  const { items, done, click } = menuOf(platform);
  const quits = items.filter(({ label, role }) => label?.startsWith('Quit') === true || role === 'quit');
  expect(quits.map(({ role }) => role)).toEqual([undefined]);
  expect(items.filter(({ role }) => role === 'appMenu')).toEqual([]);
  click(quits[0]?.label ?? '');
  expect(done).toEqual(['quit']);
});

test.each(PLATFORMS)('on %s Control and = zooms in, as Control and + does', (platform) => {
  const keys = menuOf(platform).items.filter(({ role }) => role === 'zoomIn');
  expect(keys.map(({ accelerator }) => accelerator)).toEqual([
    undefined,
    'CommandOrControl+=',
    'CommandOrControl+numadd',
  ]);
  expect(keys.filter(({ visible }) => visible !== false)).toHaveLength(1);
});

test('only the menu of macOS has the roles of macOS', () => {
  const rolesOf = (platform: NodeJS.Platform) => menuOf(platform).items.map(({ role }) => role);
  for (const role of ['zoom', 'help', 'window', 'services', 'hide'] as const) {
    expect(rolesOf('darwin')).toContain(role);
    expect(rolesOf('linux')).not.toContain(role);
    expect(rolesOf('win32')).not.toContain(role);
  }
});

test('the settings are in the menu of the application on macOS, in File elsewhere, once each', () => {
  const placeOf = (platform: NodeJS.Platform) =>
    menuOf(platform).menus.flatMap((menu) =>
      childrenOf(menu)
        .filter(({ label }) => label?.startsWith('Settings') === true)
        .map(({ label }) => `${menu.label} > ${label}`),
    );
  expect(placeOf('darwin')).toEqual(['Spandeck > Settings…']);
  expect(placeOf('linux')).toEqual(['File > Settings']);
  const { click, done } = menuOf('darwin');
  click('Settings…');
  expect(done).toEqual(['go.settings']);
});

test.each([
  ['?', undefined],
  ['KeyG', undefined],
  ['Shift+KeyG', undefined],
  ['Enter', undefined],
  ['F1', 'F1'],
  ['$mod+KeyG', 'CommandOrControl+G'],
  ['Shift+Alt+KeyG', 'Shift+Alt+G'],
])('%s in the menu of macOS is %s: a text field would lose the key', (keys, expected) => {
  const shortcuts = { 'help.shortcuts': keys };
  const keyOf = (platform: NodeJS.Platform) =>
    menuOf(platform, shortcuts).items.find(({ label }) => label === 'Keyboard shortcuts')?.accelerator;
  expect(keyOf('darwin')).toBe(expected);
  expect(keyOf('linux')).toBeDefined();
});
