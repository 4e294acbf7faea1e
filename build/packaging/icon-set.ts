/** Location and sizes of the icons. */
import * as path from 'node:path';

export const ICONS = path.join(import.meta.dirname, 'icons');
/** Widths in pixels that the icon theme of Linux, .ico and .icns require. */
export const ICON_SIZES = [16, 32, 48, 64, 128, 256, 512] as const;
/** File with the hash of the SVG from which the icons were drawn, which a test compares. */
export const SOURCE_HASH = path.join(ICONS, 'source.sha256');
