/** Runs next to the bridge: disables the behaviour of browser windows that Electron's windows do not have. */
import type { Post } from './bridge.ts';

interface NavigateEvent extends Event {
  readonly destination: { readonly url: string; readonly sameDocument: boolean };
  readonly downloadRequest: string | null;
  readonly navigationType: string;
}

/**
 * Reports navigations, new windows, accelerators and the state of the window to the host, and prevents everything else.
 */
export function installWindowManners(post: Post): void {
  // Every navigation that a page starts is stopped here and passed to main (will-navigate), which then performs it.
  // Navigations started by main do not fire this event.
  const navigation = (globalThis as unknown as { navigation: EventTarget }).navigation;
  navigation.addEventListener('navigate', (raw) => {
    const event = raw as NavigateEvent;
    if (event.destination.sameDocument || event.downloadRequest !== null || !event.cancelable) return;
    event.preventDefault();
    post({ kind: 'navigate' }, { url: event.destination.url, isReload: event.navigationType === 'reload' });
  });

  const onClick = (event: MouseEvent): void => {
    const anchor = event.composedPath().find((item) => item instanceof HTMLAnchorElement);
    if (event.defaultPrevented || anchor === undefined || anchor.href === '' || anchor.download !== '')
      return;
    const isMiddle = event.type === 'auxclick' && event.button === 1;
    const isModified = event.ctrlKey || event.metaKey || event.shiftKey;
    const isElsewhere = !['', '_self', '_top', '_parent'].includes(anchor.target);
    if (!isElsewhere && !isModified && !isMiddle) return;
    event.preventDefault();
    const disposition = isMiddle || event.ctrlKey ? 'background-tab' : 'foreground-tab';
    post({ kind: 'open' }, { url: anchor.href, frameName: anchor.target, disposition });
  };
  addEventListener('click', onClick);
  addEventListener('auxclick', onClick);

  // Electron has no context menu of its own, and does not open a dropped file that nothing accepts.
  addEventListener('contextmenu', (event) => event.preventDefault());
  addEventListener('dragover', (event) => {
    if (event.defaultPrevented) return;
    event.preventDefault();
    if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'none';
  });
  addEventListener('drop', (event) => event.preventDefault());

  const browserKeys = /^(f[1-9]|f1[0-2]|[defghjklnoprstuw])$/;
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented) return;
    const key = event.key.toLowerCase();
    const hasModifier = event.ctrlKey || event.altKey || event.metaKey;
    if (!hasModifier && !/^f\d+$/.test(key)) return;
    const { ctrlKey, altKey, shiftKey, metaKey } = event;
    post({ kind: 'key' }, { key, ctrlKey, altKey, shiftKey, metaKey });
    if ((ctrlKey || metaKey || key.startsWith('f')) && browserKeys.test(key)) event.preventDefault();
  });

  const dark = matchMedia('(prefers-color-scheme: dark)');
  const report = (): void => {
    const bounds = { x: screenX, y: screenY, width: outerWidth, height: outerHeight };
    const area = { width: screen.availWidth, height: screen.availHeight };
    post(
      { kind: 'state' },
      { bounds, area, scaleFactor: devicePixelRatio, isFocused: document.hasFocus(), isDark: dark.matches },
    );
  };
  for (const name of ['resize', 'focus', 'blur', 'pointerenter', 'pointerleave'])
    addEventListener(name, report);
  document.addEventListener('pointerenter', report);
  document.addEventListener('pointerleave', report);
  dark.addEventListener('change', report);
  report();
}
