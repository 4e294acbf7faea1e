/**
 * Builds deb, rpm and tar.gz with tools of the system (dpkg-deb, rpmbuild, tar), and the command line as an npm
 * package. electron-builder would download a tool for each format; these tools need no network and are the same
 * everywhere.
 */
import { execFile } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { ROOT, type Runtime } from '../runtime.ts';
import { OUTPUT } from './builder-config.ts';
import { bytesOf, layOutTree, type PackageFacts, packageFacts } from './linux-tree.ts';

const run = promisify(execFile);

/** A file that was built, or the reason why there is none. */
export type Made = { readonly file: string } | { readonly name: string; readonly missing: string };

const ARCHITECTURES: Readonly<Partial<Record<string, { deb: string; rpm: string }>>> = {
  x64: { deb: 'amd64', rpm: 'x86_64' },
  arm64: { deb: 'arm64', rpm: 'aarch64' },
};

/**
 * Debian's names of packages. libsecret is recommended and not required: without it, the token is asked for at each
 * start.
 */
const DEPENDS: Record<Runtime['name'], { depends: string[]; recommends: string[] }> = {
  Electron: {
    depends: [
      'libgtk-3-0 | libgtk-3-0t64',
      'libnss3',
      'libasound2 | libasound2t64',
      'libgbm1',
      'libxss1',
      'xdg-utils',
    ],
    recommends: ['libsecret-1-0'],
  },
  'Chromium host': { depends: ['chromium'], recommends: ['libsecret-1-0', 'zenity'] },
};

/** Builds all formats. If a tool is missing, its name is returned instead of the file. */
export async function linuxPackages(folder: string, runtime: Runtime): Promise<Made[]> {
  const facts = packageFacts();
  const work = fs.mkdtempSync(path.join(os.tmpdir(), 'spandeck-package-'));
  try {
    const root = path.join(work, 'root');
    layOutTree(folder, root);
    return [
      await tarball(folder, facts),
      await npmTarball(work, facts),
      await deb(root, facts, runtime),
      await rpm(work, root, facts),
    ];
  } finally {
    fs.rmSync(work, { recursive: true, force: true });
  }
}

function architecture(): { deb: string; rpm: string } {
  const found = ARCHITECTURES[process.arch];
  if (found === undefined) throw new Error(`Expected x64 or arm64, got ${process.arch}.`);
  return found;
}

const isProgram = (name: string): boolean =>
  (process.env['PATH'] ?? '').split(':').some((folder) => fs.existsSync(path.join(folder, name)));

const nobody = ['--owner=0', '--group=0', '--numeric-owner'];

async function tarball(folder: string, { name, version }: PackageFacts): Promise<Made> {
  const file = path.join(OUTPUT, `${name}-${version}-linux-${process.arch}.tar.gz`);
  const inside = `s,^${path.basename(folder)},${name}-${version},`;
  await run('tar', [
    '-czf',
    file,
    ...nobody,
    `--transform=${inside}`,
    '-C',
    path.dirname(folder),
    path.basename(folder),
  ]);
  return { file };
}

/** Name of the script that starts the command line, or prints an error if the person's Node is too old. */
const COMMAND_LINE = 'start-cli.cjs';

/** Builds the package for `npm install -g FILE`: only the command line, for the person's own Node. */
async function npmTarball(work: string, facts: PackageFacts): Promise<Made> {
  const root = path.join(work, 'npm/package');
  fs.mkdirSync(path.join(root, 'dist'), { recursive: true });
  const dist = path.join(ROOT, 'dist');
  const isPart = (name: string): boolean =>
    /^(cli(-.*)?|.*-worker(-.*)?|analysis-process)\.js$/.test(name) ||
    ['THIRD_PARTY_NOTICES.txt', COMMAND_LINE].includes(name);
  for (const name of fs.readdirSync(dist).filter(isPart)) {
    fs.copyFileSync(path.join(dist, name), path.join(root, 'dist', name));
  }
  for (const name of ['LICENSE', 'README.md']) fs.copyFileSync(path.join(ROOT, name), path.join(root, name));
  const entry = path.join(root, 'dist', COMMAND_LINE);
  fs.writeFileSync(entry, `#!/usr/bin/env node\n${fs.readFileSync(entry, 'utf8')}`);
  fs.chmodSync(entry, 0o755);
  const { name, version, description, homepage, license, maintainer } = facts;
  const ours = JSON.parse(fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    engines: object;
    dependencies: object;
  };
  const manifest = {
    name,
    version,
    description,
    homepage,
    license,
    author: maintainer,
    type: 'module',
    bin: { [name]: `dist/${COMMAND_LINE}` },
    engines: ours.engines,
    dependencies: ours.dependencies,
  };
  fs.writeFileSync(path.join(root, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const file = path.join(OUTPUT, `${name}-${version}.tgz`);
  await run('tar', ['-czf', file, ...nobody, '-C', path.dirname(root), 'package']);
  return { file };
}

async function deb(root: string, facts: PackageFacts, runtime: Runtime): Promise<Made> {
  if (!isProgram('dpkg-deb')) return { name: 'deb', missing: 'dpkg-deb is not here' };
  const { name, version, description, homepage, maintainer } = facts;
  const { depends, recommends } = DEPENDS[runtime.name];
  const control = [
    `Package: ${name}`,
    `Version: ${version}`,
    `Architecture: ${architecture().deb}`,
    `Maintainer: ${maintainer}`,
    `Installed-Size: ${Math.ceil(bytesOf(root) / 1024)}`,
    // The version of libc that SQLite's library needs.
    `Depends: ${['libc6 (>= 2.34)', 'libstdc++6', ...depends].join(', ')}`,
    `Recommends: ${recommends.join(', ')}`,
    'Section: science',
    'Priority: optional',
    `Homepage: ${homepage}`,
    `Description: ${description}`,
    '',
  ].join('\n');
  fs.mkdirSync(path.join(root, 'DEBIAN'));
  fs.writeFileSync(path.join(root, 'DEBIAN/control'), control);
  const file = path.join(OUTPUT, `${name}_${version}_${architecture().deb}.deb`);
  await run('dpkg-deb', ['--root-owner-group', '-Zzstd', '-z9', '--build', root, file]);
  fs.rmSync(path.join(root, 'DEBIAN'), { recursive: true });
  return { file };
}

async function rpm(work: string, root: string, facts: PackageFacts): Promise<Made> {
  if (!isProgram('rpmbuild')) {
    return { name: 'rpm', missing: 'rpmbuild is not here (Debian: apt-get install rpm)' };
  }
  const { name, version, description, homepage, license } = facts;
  const spec = `
Name: ${name}
Version: ${version}
Release: 1
Summary: Workbench for a monitoring and evaluation service
License: ${license}
URL: ${homepage}
AutoReqProv: no
Requires: glibc >= 2.34
Recommends: libsecret
%description
${description}
%install
cp -a ${root}/. %{buildroot}/
%files
%defattr(-,root,root,-)
${fs.existsSync(path.join(root, 'opt/Spandeck/chrome-sandbox')) ? '%attr(4755,root,root) /opt/Spandeck/chrome-sandbox' : ''}
/opt/Spandeck
/usr/bin/spandeck
/usr/share/applications/spandeck.desktop
/usr/share/metainfo/invalid.spandeck.metainfo.xml
/usr/share/mime/packages/spandeck.xml
/usr/share/doc/spandeck
/usr/share/icons/hicolor/*/apps/spandeck.*
`;
  fs.writeFileSync(path.join(work, 'spandeck.spec'), spec);
  const settings = {
    _topdir: path.join(work, 'rpm'),
    _rpmdir: path.join(work, 'made'),
    _build_id_links: 'none',
    // Packed files must stay unchanged, because stripping would break the fuses and the snapshots.
    __os_install_post: '%{nil}',
    _binary_payload: 'w9.zstdio',
  };
  await run('rpmbuild', [
    '-bb',
    `--target=${architecture().rpm}`,
    ...Object.entries(settings).flatMap(([key, value]) => ['--define', `${key} ${value}`]),
    path.join(work, 'spandeck.spec'),
  ]);
  const folder = path.join(work, 'made', architecture().rpm);
  const [made = ''] = fs.readdirSync(folder);
  const file = path.join(OUTPUT, made);
  fs.copyFileSync(path.join(folder, made), file);
  return { file };
}
