/** Chromium's sandbox on Linux: finds out before the start whether Electron would refuse to start. */
import * as fs from 'node:fs';
import * as path from 'node:path';

/** Facts for the decision, which tests can make up. */
export interface SandboxFacts {
  readonly platform: NodeJS.Platform;
  readonly isRoot: boolean;
  /** Ubuntu 23.10 and later restrict user namespaces for programs without a profile. */
  readonly areNamespacesRestricted: boolean;
  /** Whether Electron's sandbox helper belongs to root and is setuid. */
  readonly hasHelper: boolean;
}

export function sandboxFacts(dist: string): SandboxFacts {
  const isOn = (file: string): boolean => fs.existsSync(file) && fs.readFileSync(file, 'utf8').trim() === '1';
  const helper = fs.statSync(path.join(dist, 'chrome-sandbox'), { throwIfNoEntry: false });
  return {
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
    areNamespacesRestricted: isOn('/proc/sys/kernel/apparmor_restrict_unprivileged_userns'),
    hasHelper: helper !== undefined && helper.uid === 0 && (helper.mode & 0o4755) === 0o4755,
  };
}

/** The message for the person, with the command to run; null if the sandbox will work. */
export function sandboxProblem(facts: SandboxFacts, dist: string): string | null {
  const { platform, isRoot, areNamespacesRestricted, hasHelper } = facts;
  // Root needs no check, because it runs without the sandbox.
  if (platform !== 'linux' || isRoot || !areNamespacesRestricted || hasHelper) return null;
  const helper = path.join(dist, 'chrome-sandbox');
  return (
    'This system does not let Electron use its sandbox (AppArmor restricts user namespaces, as on Ubuntu 23.10 and later).\n' +
    `Run this one line, then the same command again:\n\n  sudo sh -c 'chown root:root "${helper}" && chmod 4755 "${helper}"'\n`
  );
}

export interface OrdinaryUser {
  readonly uid: number;
  readonly gid: number;
}

/** The user `nobody` of this system; undefined if that user may not read `file` and its parent folders. */
export function ordinaryUser(file: string): OrdinaryUser | undefined {
  const line = /^nobody:[^:]*:(\d+):(\d+):/m.exec(fs.readFileSync('/etc/passwd', 'utf8'));
  const isOpen = (name: string): boolean => (fs.statSync(name).mode & 0o005) === 0o005;
  let at = path.resolve(file);
  while (isOpen(at) && at !== path.dirname(at)) at = path.dirname(at);
  return line === null || !isOpen(at) ? undefined : { uid: Number(line[1]), gid: Number(line[2]) };
}
