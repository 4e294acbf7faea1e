/** Location and sizes of the icons. */
import * as path from 'node:path';

export const ICONS = path.join(import.meta.dirname, 'icons');
/** Widths in pixels required by the icon theme of Linux, .ico and .icns. */
export const ICON_SIZES = [16, 32, 48, 64, 128, 256, 512] as const;
/** The hash of the SVG that the icons were drawn from, for a test to compare. */
export const SOURCE_HASH = path.join(ICONS, 'source.sha256');
