/** The file tree on an installed Linux system, for deb and rpm. The installation runs no script. */
import * as fs from 'node:fs';
import * as path from 'node:path';
import { ROOT } from '../runtime.ts';
import { ICON_SIZES, ICONS } from './icon-set.ts';

const LINUX = path.join(import.meta.dirname, 'linux');

export interface PackageFacts {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly homepage: string;
  readonly maintainer: string;
  readonly license: string;
}

export function packageFacts(): PackageFacts {
  const manifest = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
    description: string;
    homepage: string;
    license: string;
    author: { name: string; email: string };
  };
  const { name, version, description, homepage, license, author } = manifest;
  return { name, version, description, homepage, license, maintainer: `${author.name} <${author.email}>` };
}

/** Creates the tree of `folder` (the unpacked application) below `root`; files are linked, not copied. */
export function layOutTree(folder: string, root: string): void {
  const place = (from: string, to: string): void => {
    fs.mkdirSync(path.dirname(path.join(root, to)), { recursive: true });
    fs.copyFileSync(from, path.join(root, to));
    fs.chmodSync(path.join(root, to), 0o644);
  };
  fs.mkdirSync(path.join(root, 'opt'), { recursive: true });
  fs.cpSync(folder, path.join(root, 'opt/Spandeck'), { recursive: true, verbatimSymlinks: true });
  readableByAll(path.join(root, 'opt/Spandeck'));
  fs.mkdirSync(path.join(root, 'usr/bin'), { recursive: true });
  fs.symlinkSync('../../opt/Spandeck/bin/spandeck', path.join(root, 'usr/bin/spandeck'));
  place(path.join(LINUX, 'spandeck.desktop'), 'usr/share/applications/spandeck.desktop');
  place(path.join(LINUX, 'spandeck.metainfo.xml'), 'usr/share/metainfo/invalid.spandeck.metainfo.xml');
  place(path.join(LINUX, 'spandeck.mime.xml'), 'usr/share/mime/packages/spandeck.xml');
  place(path.join(ROOT, 'LICENSE'), 'usr/share/doc/spandeck/copyright');
  place(path.join(ROOT, 'dist/THIRD_PARTY_NOTICES.txt'), 'usr/share/doc/spandeck/THIRD_PARTY_NOTICES.txt');
  for (const size of ICON_SIZES) {
    const name = `${size}x${size}`;
    place(path.join(ICONS, `${name}.png`), `usr/share/icons/hicolor/${name}/apps/spandeck.png`);
  }
  place(path.join(ICONS, 'icon.svg'), 'usr/share/icons/hicolor/scalable/apps/spandeck.svg');
}

/**
 * Makes the files readable by everybody, whatever the umask is. Electron's sandbox helper belongs to root and is
 * setuid, which Chromium requires on systems that restrict user namespaces (Ubuntu 23.10 and later).
 */
function readableByAll(folder: string): void {
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink()) continue;
    const isRunnable = entry.isDirectory() || (fs.statSync(file).mode & 0o100) !== 0;
    fs.chmodSync(file, isRunnable ? 0o755 : 0o644);
  }
  fs.chmodSync(folder, 0o755);
  const helper = path.join(folder, 'chrome-sandbox');
  if (fs.existsSync(helper)) fs.chmodSync(helper, 0o4755);
}

/** Total size of all files below a folder. */
export function bytesOf(folder: string): number {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + fs.statSync(path.join(entry.parentPath, entry.name)).size, 0);
}
