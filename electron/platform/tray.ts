/** The tray icon, shown while the window is hidden and jobs continue. */
import { methodOf, partOf } from './runtime-parts.ts';

export interface TrayIcon {
  remove(): void;
}
export type ShowTray = (of: { onOpen: () => void; onQuit: () => void }) => TrayIcon;

const SIDE = 32;
/** The window's accent colour, as blue, green and red in the stored order. */
const COLOUR = [229, 70, 79] as const;

/** The pixels of a disc, because the application's icon cannot be recognized at tray size. */
function discPixels(): Buffer {
  const pixels = Buffer.alloc(SIDE * SIDE * 4);
  const centre = (SIDE - 1) / 2;
  for (let at = 0; at < SIDE * SIDE; at += 1) {
    const far = Math.hypot((at % SIDE) - centre, Math.floor(at / SIDE) - centre);
    // Antialiasing: the share of a pixel at the edge that the disc covers.
    const cover = Math.max(0, Math.min(1, SIDE / 2 - 1 - far));
    pixels.set([...COLOUR.map((part) => Math.round(part * cover)), Math.round(255 * cover)], at * 4);
  }
  return pixels;
}

/** For a window that is minimized to the task bar and needs no icon. */
export const NO_TRAY: ShowTray = () => ({ remove: () => undefined });

/** Null if the runtime has no tray. */
export function trayOf(runtime: object): ShowTray | null {
  const Tray = partOf(runtime, 'Tray');
  const image = methodOf(partOf(runtime, 'nativeImage'), 'createFromBitmap');
  const menu = methodOf(partOf(runtime, 'Menu'), 'buildFromTemplate');
  if (typeof Tray !== 'function' || image === null || menu === null) return null;
  return ({ onOpen, onQuit }) => {
    const icon = image(discPixels(), { width: SIDE, height: SIDE, scaleFactor: 2 });
    const tray: unknown = Reflect.construct(Tray, [icon]);
    methodOf(tray, 'setToolTip')?.('Spandeck: jobs go on');
    methodOf(
      tray,
      'setContextMenu',
    )?.(
      menu([
        { label: 'Open Spandeck', click: onOpen },
        { label: 'Quit', click: onQuit },
      ]),
    );
    methodOf(tray, 'on')?.('click', onOpen);
    return { remove: () => void methodOf(tray, 'destroy')?.() };
  };
}
