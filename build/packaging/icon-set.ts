/** Where the icons lie and in which sizes. */
import * as path from 'node:path';

export const ICONS = path.join(import.meta.dirname, 'icons');
/** Pixels a side: those that the icon theme of Linux, .ico and .icns ask for. */
export const ICON_SIZES = [16, 32, 48, 64, 128, 256, 512] as const;
/** The hash of the drawing that the icons were made from: a test compares. */
export const SOURCE_HASH = path.join(ICONS, 'source.sha256');
